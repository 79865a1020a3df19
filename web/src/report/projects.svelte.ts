import type { findOrCreateProject, Project, projects } from '../lib/api.ts'
import type { Choice } from '../lib/combobox.svelte.ts'
import { recall, remember } from '../lib/memory.ts'
import { tidy } from './draft.ts'

interface Outside {
  projects: typeof projects
  findOrCreateProject: typeof findOrCreateProject
}

const MOST_SHOWN = 50

/** The shared list, the one used last first. */
export class Projects {
  list = $state.raw<Project[]>([])
  last = $state('')
  failed = $state(false)
  /** the server has told all there are */
  loaded = $state(false)
  private readonly name: string

  constructor(
    email: string,
    private readonly outside: Outside,
  ) {
    this.name = `project.${email}`
    this.last = recall(this.name) ?? ''
  }

  async load(): Promise<void> {
    try {
      this.list = await this.outside.projects()
      this.failed = false
      this.loaded = true
    } catch {
      this.failed = true
    }
  }

  /** What the list offers for what was typed; everything when nothing was. */
  choices(typed: string): Choice[] {
    const wanted = folded(typed)
    const names = this.list.map(({ name }) => name).filter(name => folded(name).includes(wanted))
    const rank = (name: string) => (folded(name) === wanted ? 0 : folded(name) === folded(this.last) ? 1 : 2)
    const found = names
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, MOST_SHOWN)
      .map(name => ({ name, creates: false }))
    return wanted && !this.named(typed) ? [...found, { name: tidy(typed), creates: true }] : found
  }

  nameOf(id: string): string | undefined {
    return this.list.find(project => project.id === id.toLowerCase())?.name
  }

  named(name: string): Project | undefined {
    const wanted = folded(name)
    return this.list.find(project => folded(project.name) === wanted)
  }

  /** Finds or creates by name: the server decides what is the same. */
  async idOf(name: string, { anew = false } = {}): Promise<string> {
    const known = anew ? undefined : this.named(name)
    if (known) return known.id
    const project = await this.outside.findOrCreateProject(tidy(name))
    this.list = [...this.list.filter(({ id }) => id !== project.id), project]
    return project.id
  }

  use(name: string): void {
    this.last = name
    remember(this.name, name)
  }
}

const folded = (name: string) => tidy(name).toLowerCase()

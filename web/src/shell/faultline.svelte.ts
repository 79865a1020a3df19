import { createContext } from 'svelte'
import { Board } from '../board/board.svelte.ts'
import { Feed } from '../feed/feed.svelte.ts'
import type { Entry, Person } from '../lib/api.ts'
import { poll } from '../lib/poll.ts'
import { Push } from '../push/push.svelte.ts'
import { type Draft, Drafts } from '../report/drafts.svelte.ts'
import { Projects } from '../report/projects.svelte.ts'
import { Report } from '../report/report.svelte.ts'
import { Sender } from '../report/sender.svelte.ts'
import { Notices } from './notices.svelte.ts'
import { Router } from './router.svelte.ts'
import { Session } from './session.svelte.ts'

/** Everything that belongs to one person at work, made once the session is known. */
export interface Desk {
  person: Person
  drafts: Drafts
  projects: Projects
  sender: Sender
  report: Report
  push: Push | undefined
}

export class Faultline {
  readonly session = new Session()
  readonly router = new Router()
  readonly board = new Board()
  readonly notices = new Notices()
  desk = $state.raw<Desk>()
  unreachable = $state(false)
  /** the section that a report has just reached */
  touched = $state<string>()
  /** the feed that is looked at now */
  feed = $state.raw(new Feed())
  private readonly feeds = new Map([[this.feed.section, this.feed]])

  constructor() {
    addEventListener('online', () => this.unreachable && void this.begin())
  }

  async begin(): Promise<void> {
    this.unreachable = false
    void this.board.load()
    void this.feed.load()
    if (this.desk) return
    try {
      const person = await this.session.begin()
      if (person) this.sitDown(person)
    } catch {
      this.unreachable = true
    }
  }

  openReport(section: string, opener?: Element | null): void {
    this.desk?.report.open(section, opener)
  }

  label(section: string): string {
    return this.board.label(section)
  }

  /** Narrows the feed to one section, or shows all. */
  show(section?: string): void {
    let feed = this.feeds.get(section)
    if (feed === this.feed) return
    if (!feed) {
      feed = new Feed(section)
      this.feeds.set(section, feed)
      void feed.load()
    } else if (feed.status === 'ready') {
      feed.show()
    }
    this.feed = feed
  }

  showNews(): void {
    this.feed.show()
    this.board.rank()
  }

  private sitDown(person: Person): void {
    const drafts = new Drafts(person.email)
    const projects = new Projects(person.email)
    const sender = new Sender({
      session: this.session,
      drafts,
      projects,
      filed: (entry, created) => this.filed(entry, created),
      refused: draft => this.notices.say(`A report on ${this.label(draft.section)} was not accepted.`, 'bad'),
    })
    const report = new Report({
      drafts,
      projects,
      sender,
      lastShown: section => this.feed.entries.find(entry => entry.section_id === section),
      waits: draft => this.waits(draft, drafts),
    })
    const push = person.is_owner ? new Push(person.pushKey) : undefined
    this.desk = { person, drafts, projects, sender, report, push }
    this.goOn(this.desk)
  }

  /** What an earlier visit left: reports that wait for the network, one that an ended session interrupted. */
  private goOn({ drafts, sender, report, push }: Desk): void {
    const interrupted = Object.values(drafts.all).find(({ state }) => state === 'interrupted')
    if (interrupted) report.open(interrupted.section, null)
    void sender.flush()
    void push?.look()
    poll(() => this.look(sender))
  }

  private async look(sender: Sender): Promise<void> {
    if (this.session.ended) return
    const { board, feed } = this
    try {
      await Promise.all([feed.look(), board.failed ? board.load() : board.refresh()])
    } catch {
      return
    }
    await sender.flush()
  }

  private filed(entry: Entry, created: boolean): void {
    for (const feed of this.feeds.values()) if (feed.status === 'ready') feed.add(entry)
    if (created) this.board.add(entry.section_id)
    this.touched = entry.section_id
    this.notices.say(`Filed on ${this.label(entry.section_id)}.`, 'good')
  }

  private waits(draft: Draft, drafts: Drafts): void {
    drafts.keep(draft)
    this.notices.say(`No answer from the server. Your report on ${this.label(draft.section)} is kept here.`)
  }
}

export const [getFaultline, setFaultline] = createContext<Faultline>()

import { createContext, tick } from 'svelte'
import { Board } from '../board/board.svelte.ts'
import { Feed } from '../feed/feed.svelte.ts'
import type { Insight } from '../insight/insight.ts'
import { type Entry, feed, findOrCreateProject, type Person, projects, report } from '../lib/api.ts'
import { Fault } from '../lib/fault.ts'
import { inAddress, type Narrowed } from '../lib/narrowing.ts'
import { poll } from '../lib/poll.ts'
import { Push } from '../push/push.svelte.ts'
import { Drafts } from '../report/drafts.svelte.ts'
import { ReportForm } from '../report/form.svelte.ts'
import { Outbox } from '../report/outbox.svelte.ts'
import { Projects } from '../report/projects.svelte.ts'
import { Notices } from './notices.svelte.ts'
import { Router } from './router.svelte.ts'
import { Session } from './session.svelte.ts'
import { View } from './view.svelte.ts'

/** Everything that belongs to one person, made once the session is known. */
export interface Account {
  person: Person
  drafts: Drafts
  projects: Projects
  outbox: Outbox
  form: ReportForm
  push: Push | undefined
}

/** Kept to be shown at once when somebody comes back to them. */
const FEEDS_MOST = 20
/** shown to who is about to report the same */
const LATEST = 5

/** What all parts of the page share. */
export class AppState {
  readonly session = new Session()
  readonly router = new Router()
  readonly view = new View(this.router)
  readonly board = new Board()
  readonly notices = new Notices()
  account = $state.raw<Account>()
  /** trends and their pictures, once they were fetched */
  insight = $state.raw<Insight>()
  /** the server did not answer when it was last asked for news */
  away = $state(false)
  /** what is open of the palette: the field, or the list of keys */
  palette = $state<'find' | 'keys'>()
  /** the section that a report has just reached */
  touched = $state<string>()
  /** the feed that is looked at now */
  feed = $state.raw(new Feed(this.view.narrowed))
  private readonly feeds = new Map([[inAddress(this.feed.narrowed), this.feed]])
  /** what was chosen before it was known whose page this is */
  private early: [section: string, opener: Element | null] | undefined
  /** what gets the focus back when the report form closes */
  private opener: Element | null = null

  constructor() {
    this.board.narrowed = this.view.counted
    addEventListener('online', () => this.session.standing === 'unreachable' && void this.begin())
  }

  async begin(): Promise<void> {
    void this.board.load()
    void this.feed.load()
    await this.session.begin()
    const { person } = this.session
    if (person && !this.account) this.startAccount(person)
  }

  /** Who scanned a label wants to report on its section; once. */
  private openScanned(): void {
    const { path, search } = this.router
    const query = new URLSearchParams(search)
    const section = query.get('report')
    if (!section) return
    query.delete('report')
    this.router.go(path + (query.size ? `?${query}` : ''), { replace: true })
    this.openReport(section, document.body)
  }

  async loadInsight(): Promise<void> {
    const { Insight } = await import('../insight/insight.ts')
    this.insight ??= new Insight()
  }

  openReport(section: string, opener: Element | null = document.activeElement): void {
    this.opener = opener
    if (this.account) void this.account.form.open(section)
    else this.early = [section, opener]
  }

  /** Away to another page: nothing to give the focus back to. */
  leaveReport(): void {
    this.opener = document.body
    this.account?.form.close()
  }

  async signOut(): Promise<void> {
    try {
      await this.session.signOut()
    } catch {
      this.notices.say('You are still signed in: the server could not be reached.', 'bad')
    }
  }

  /** The page anew; an open report is open again afterwards. */
  reload(): void {
    this.account?.form.interrupt()
    location.reload()
  }

  show(narrowed: Narrowed): void {
    const address = inAddress(narrowed)
    let feed = this.feeds.get(address)
    if (feed === this.feed) return
    if (!feed) {
      feed = new Feed(narrowed)
      if (this.feeds.size >= FEEDS_MOST) this.feeds.clear()
      this.feeds.set(address, feed)
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

  private startAccount(person: Person): void {
    const drafts = new Drafts(person.email)
    const list = new Projects(person.email, { projects, findOrCreateProject })
    const outbox = new Outbox({
      drafts,
      projects: list,
      report,
      filed: (entry, created) => this.filed(entry, created),
      refused: ({ body }) =>
        this.notices.say(`A report on ${this.board.label(body.section_id)} was not accepted.`, 'bad'),
    })
    const form = new ReportForm({
      drafts,
      projects: list,
      outbox,
      latest: async narrowed => (await feed(narrowed, undefined, LATEST)).entries,
      waits: ({ body }) =>
        this.notices.say(
          `No answer from the server. Your report on ${this.board.label(body.section_id)} is kept here.`,
        ),
      closed: section => this.returnFocus(section),
    })
    const push = person.is_owner ? new Push(person.pushKey) : undefined
    this.account = { person, drafts, projects: list, outbox, form, push }
    this.resume(this.account)
    this.openScanned()
    if (this.early) this.openReport(...this.early)
  }

  /** What an earlier visit left: reports that wait for the server, one that an ended session interrupted. */
  private resume({ drafts, outbox, form, push }: Account): void {
    const interrupted = drafts.list.find(({ state }) => state === 'interrupted')
    if (interrupted) void form.open(interrupted.body.section_id)
    void outbox.flush()
    addEventListener('online', () => void outbox.flush())
    void push?.refresh()
    poll(() => this.refresh(outbox))
  }

  /** Whether to look again soon: something had changed, or the server was away. */
  private async refresh(outbox: Outbox): Promise<boolean> {
    if (this.session.standing !== 'here') return false
    const { board, feed } = this
    let news: boolean[]
    try {
      const picture = board.failed ? board.load().then(() => true) : board.refresh()
      news = await Promise.all([feed.refresh(), picture])
      this.away = false
    } catch (error) {
      this.away = error instanceof Fault && error.passing
      return true
    }
    await outbox.flush()
    return news.includes(true)
  }

  private filed(entry: Entry, created: boolean): void {
    for (const feed of this.feeds.values()) if (feed.status === 'ready') feed.add(entry)
    if (created) this.board.add(entry)
    this.touched = entry.section_id
    this.notices.say(`Filed on ${this.board.label(entry.section_id)}.`, 'good')
  }

  private async returnFocus(section: string): Promise<void> {
    await tick()
    const { opener } = this
    // A row of the list that has moved is another element of the same id.
    const again = opener?.isConnected ? opener : document.getElementById(opener?.id ?? '')
    const element = again ?? document.querySelector(`[role="button"][data-section="${section}"]`)
    if (element instanceof HTMLElement || element instanceof SVGElement) element.focus()
  }
}

export const [getAppState, setAppState] = createContext<AppState>()

import { askFor, onSignedOut, type Person, session, signOut } from '../lib/api.ts'
import { forget, onChangedElsewhere, remember } from '../lib/memory.ts'

/**
 * `asked`: not known yet. `unreachable`: not known, and no answer. `here`: signed in. `ended`: the session is over
 * and the page stands as it was. `signed-out`: the person left; nothing of theirs is shown.
 */
export type Standing = 'asked' | 'unreachable' | 'here' | 'ended' | 'signed-out'

/** Whose page this is. When another person signs in, it starts anew. */
export class Session {
  person = $state.raw<Person>()
  standing = $state<Standing>('asked')
  /** what belongs to the person may be seen */
  readonly visible = $derived(this.standing === 'here' || this.standing === 'ended')

  constructor() {
    onSignedOut(() => this.lose())
    onChangedElsewhere(SIGNED_IN, email => this.hearOf(email))
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible' && this.visible) void this.check()
    })
    // A page kept for going back to is kept unseen, and shown again to the same person only.
    window.addEventListener('pagehide', ({ persisted }) => persisted && conceal(true))
    window.addEventListener('pageshow', ({ persisted }) => persisted && void this.restore())
  }

  get signIn(): string {
    const { pathname, search } = location
    return pathname === '/' && !search
      ? '/login'
      : `/login?return_to=${encodeURIComponent(pathname + search)}`
  }

  async begin(): Promise<void> {
    this.standing = 'asked'
    if ((await this.check()) === 'nobody') location.replace(this.signIn)
  }

  /** Other tabs hide at once; if the server cannot be asked, the session stands as it was. */
  async signOut(): Promise<void> {
    const { person } = this
    this.standing = 'signed-out'
    forget(SIGNED_IN)
    try {
      await signOut()
      location.replace('/login')
    } catch (error) {
      if (person) this.enter(person)
      throw error
    }
  }

  /** Asks the server whose session it is. */
  private async check(): Promise<'same' | 'other' | 'nobody' | 'unknown'> {
    let now: Person | null
    try {
      now = await session()
    } catch {
      if (!this.visible) this.standing = 'unreachable'
      return 'unknown'
    }
    if (!now) {
      if (this.visible) this.standing = 'ended'
      return 'nobody'
    }
    if (this.person && now.email !== this.person.email) {
      this.startAnew()
      return 'other'
    }
    this.enter(now)
    return 'same'
  }

  private enter(person: Person): void {
    this.person = person
    this.standing = 'here'
    askFor(person.email)
    remember(SIGNED_IN, person.email)
  }

  private lose(): void {
    if (this.standing !== 'here') return
    this.standing = 'ended'
    void this.check()
  }

  private async restore(): Promise<void> {
    const answer = await this.check()
    if (answer === 'unknown') this.standing = 'unreachable'
    if (answer === 'nobody') {
      this.standing = 'signed-out'
      location.replace(this.signIn)
    }
    conceal(false)
  }

  /** Another tab says who is signed in now. */
  private hearOf(email: string | null): void {
    if (!this.person) return
    if (email === null) this.standing = 'signed-out'
    else if (email === this.person.email) void this.check()
    else this.startAnew()
  }

  private startAnew(): void {
    this.standing = 'signed-out'
    location.reload()
  }
}

const SIGNED_IN = 'signed-in'

function conceal(hidden: boolean): void {
  document.documentElement.style.visibility = hidden ? 'hidden' : ''
}

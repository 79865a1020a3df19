import { Fault, onSignedOut, type Person, session } from '../lib/api.ts'

export type Standing = 'same' | 'ended' | 'unknown'

/** Who sits here. A page belongs to one person: when another signs in, it starts anew. */
export class Session {
  person = $state.raw<Person>()
  ended = $state(false)

  constructor() {
    onSignedOut(() => {
      this.ended = true
    })
    const look = () => document.visibilityState === 'visible' && this.person && void this.stand()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('pageshow', event => event.persisted && look())
  }

  async begin(): Promise<Person | undefined> {
    const person = await session()
    if (person) this.person = person
    else location.replace(this.signIn)
    return person ?? undefined
  }

  get signIn(): string {
    return location.pathname === '/' ? '/login' : `/login?return_to=${encodeURIComponent(location.pathname)}`
  }

  /** Is the session still this person's? Asked before anything is sent in their name. */
  async stand(): Promise<Standing> {
    let now: Person | null
    try {
      now = await session()
    } catch {
      return 'unknown'
    }
    this.ended = now === null
    if (!now) return 'ended'
    if (now.email === this.person?.email) return 'same'
    location.reload()
    return 'ended'
  }

  async require(): Promise<void> {
    const standing = await this.stand()
    if (standing === 'ended') throw new Fault('signed-out', 'Your session has ended.')
    if (standing === 'unknown') throw new Fault('offline', 'The server cannot be reached.')
  }
}

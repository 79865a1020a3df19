/** `offline`: no answer came. `unavailable`: the server cannot just now. `refused`: not as it stands. */
export type FaultKind = 'offline' | 'unavailable' | 'signed-out' | 'refused'

export class Fault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly code = '',
    readonly fields: Record<string, string> = {},
  ) {
    super(message)
  }

  /** Worth another try as it stands. */
  get passing(): boolean {
    return this.kind === 'offline' || this.kind === 'unavailable'
  }
}

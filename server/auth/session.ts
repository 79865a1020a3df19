export interface Visitor {
  /** lower-cased, verified, inside the allowed domain right now */
  email: string
  isOwner: boolean
  /** epoch milliseconds */
  expiresAt: number
}

export interface Sessions {
  /** Who a request's Cookie header belongs to, judged against the configuration in force. At once when the seal was opened before. */
  open(cookieHeader: string | null): Visitor | undefined | Promise<Visitor | undefined>
  /** The Set-Cookie value that begins a session. */
  begin(email: string): Promise<string>
  /** The Set-Cookie value that ends it. */
  readonly end: string
}

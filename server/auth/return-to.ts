/** Plain segments and an ordinary query: nothing that any parser could read as another host or path. */
const PAGE = /^\/(?:[\w.~-]+\/)*(?:[\w.~-]+)?(?:\?(?:[\w.~!$'()*+,;:@/?=&-]|%[0-9A-Fa-f]{2})*)?$/
const DOT_SEGMENT = /\/\.{1,2}(?:\/|\?|$)/
const NOT_A_PAGE = /^\/(?:auth|login|api)(?:\/|\?|$)/i
const LONGEST = 4_096

/** Where to go after sign-in: a page of ours, or the board. */
export function safeReturnTo(wanted: string | null | undefined): string {
  if (!wanted || wanted.length > LONGEST) return '/'
  return PAGE.test(wanted) && !DOT_SEGMENT.test(wanted) && !NOT_A_PAGE.test(wanted) ? wanted : '/'
}

/** `path` with its `return_to`, unless that is the board anyway. */
export function withReturnTo(path: string, returnTo: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    ...(returnTo === '/' ? {} : { return_to: returnTo }),
    ...more,
  }).toString()
  return query ? `${path}?${query}` : path
}

export function redirect(location: string, setCookie: string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of setCookie) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}

export interface Web {
  /** The public static files by exact path: built assets, icons, service worker, manifest. */
  has(path: string): boolean
  /** Static file or gated page for an exact path; undefined when there is none. */
  serve(request: Request, path: string): Response | undefined
  /** A page rendered by the server (`/login`, refusals, 404). `body` is HTML that the caller has escaped. */
  document(page: { title: string; body: string; status?: number; headers?: Record<string, string> }): Response
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)
}

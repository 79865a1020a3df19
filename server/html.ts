/** A page rendered by the server. `body` is HTML in which all text is escaped already. */
export interface Page {
  title: string
  body: string
  status?: number
  headers?: [name: string, value: string][]
}

export type RenderPage = (page: Page) => Response

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

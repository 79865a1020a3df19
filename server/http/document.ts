import type { RenderPage } from '../deps.ts'
import { pageHeaders } from './headers.ts'

/** Fills the built template of the pages that the server renders: sign-in, refusals, faults. */
export function createRenderer(template: string): RenderPage {
  return ({ title, body, status = 200, headers = [] }) => {
    const html = template
      .replace('<!--title-->', () => Bun.escapeHTML(title))
      .replace('<!--body-->', () => body)
    return new Response(html, {
      status,
      headers: [
        ['content-type', 'text/html; charset=utf-8'],
        ['cache-control', 'no-store'],
        ...Object.entries(pageHeaders),
        ...headers,
      ],
    })
  }
}

interface MessagePage {
  status: number
  title: string
  detail: string
  headers?: Record<string, string>
}

/** A page that says one thing and offers a way on. */
export function messagePage(
  render: RenderPage,
  { status, title, detail, headers = {} }: MessagePage,
): Response {
  const [href, label] = status === 401 ? ['/login', 'Sign in'] : ['/', 'To the board']
  const button = `<p><a class="button" href="${href}">${label}</a></p>`
  const body = `<main class="card"><h1>${Bun.escapeHTML(title)}</h1><p>${Bun.escapeHTML(detail)}</p>${button}</main>`
  return render({ title, body, status, headers: Object.entries(headers) })
}

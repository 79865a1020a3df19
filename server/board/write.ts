import type { Shape } from './policy.ts'

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

export const escaped = (value: string) =>
  /[&<>"\t\n\r]/.test(value) ? value.replace(/[&<>"\t\n\r]/g, c => ESCAPES[c]!) : value

export function writeSvg(shape: Shape): string {
  let written = `<${shape.name}`
  for (const [name, value] of shape.attributes) written += ` ${name}="${escaped(value)}"`
  if (!shape.children.length) return `${written}/>`
  written += '>'
  for (const child of shape.children)
    written += typeof child === 'string' ? child.replace(/[&<>\r]/g, c => ESCAPES[c]!) : writeSvg(child)
  return `${written}</${shape.name}>`
}

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

export const escaped = (value: string) => value.replace(/[&<>"\t\n\r]/g, c => ESCAPES[c]!)

export function writeSvg(shape: Shape): string {
  const parts: string[] = []
  write(shape, parts)
  return parts.join('')
}

function write(shape: Shape, parts: string[]): void {
  parts.push('<', shape.name)
  for (const [name, value] of shape.attributes) parts.push(' ', name, '="', escaped(value), '"')
  if (!shape.children.length) {
    parts.push('/>')
    return
  }
  parts.push('>')
  for (const child of shape.children) {
    if (typeof child === 'string') parts.push(child.replace(/[&<>\r]/g, c => ESCAPES[c]!))
    else write(child, parts)
  }
  parts.push('</', shape.name, '>')
}

import { clip } from './parse.ts'
import { FUNCTIONS, INERT, INERT_AT, PRESENTATION } from './vocabulary.ts'

const LOCAL_URL = /url\(\s*(["']?)#([^\s()"'\\<>&#]+)\1\s*\)/gi
export const FRAGMENT = /^#([^\s()"'\\<>&#]+)$/

/** The attribute's value with references into the board renamed, or what is wrong with it. */
export function judgeValue(
  value: string,
  rename: (id: string) => string,
): { value: string } | { fault: string } {
  if (!/[(\\@*]/.test(value)) return { value }
  const local = value.replace(LOCAL_URL, (_, _quote: string, id: string) => `url(#${rename(id)})`)
  if (/\\|\/\*|@import/i.test(value))
    return { fault: 'escapes, comments and @import are not read: write it plainly' }
  const rest = value.replace(LOCAL_URL, '')
  const parts = rest.split('(')
  for (const part of parts.slice(0, -1)) {
    const name = /[\w-]*(?=\s*$)/.exec(part.slice(-40))![0].toLowerCase()
    if (name === 'url') return { fault: 'refers outside the file: only url(#id) of this file is possible' }
    if (!FUNCTIONS.has(name))
      return { fault: `${name || 'a bare'}(…) is not possible here: write the plain value` }
  }
  return { value: local }
}

/** A `style` attribute as presentation attributes, which a strict content security policy lets through. */
export function plainStyle(style: string): { attributes: Map<string, string>; faults: string[] } {
  const attributes = new Map<string, string>()
  const faults: string[] = []
  for (const declaration of declarations(style)) {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    const value = declaration
      .slice(colon + 1)
      .replace(/!\s*important\s*$/i, '')
      .trim()
    if (!/^-{0,2}[a-z][\w-]*$/.test(property) || value === '')
      faults.push(`style: ${JSON.stringify(clip(declaration))} is no declaration (property: value)`)
    else if (property === 'marker' && value !== 'none')
      for (const place of ['start', 'mid', 'end']) attributes.set(`marker-${place}`, value)
    else if (PRESENTATION.has(property)) attributes.set(property, value)
    else if (!isInert(property, value))
      faults.push(`style: ${clip(property)} has no attribute in SVG: remove it, or draw it with attributes`)
  }
  return { attributes, faults }
}

function isInert(property: string, value: string): boolean {
  return property.startsWith('-') || INERT.has(property) || INERT_AT[property] === value.toLowerCase()
}

function declarations(style: string): string[] {
  const found: string[] = []
  let [start, depth, quote] = [0, 0, '']
  for (let at = 0; at <= style.length; at++) {
    const c = style[at] ?? ''
    if (at === style.length || (c === ';' && !quote && depth <= 0)) {
      found.push(style.slice(start, at).trim())
      start = at + 1
    } else if (quote) quote = c === quote ? '' : quote
    else if (c === '"' || c === "'") quote = c
    else if (c === '(') depth++
    else if (c === ')') depth--
  }
  return found.filter(Boolean)
}

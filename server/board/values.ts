import { FUNCTIONS, OUTSIDE_FUNCTIONS } from './vocabulary.ts'

const LOCAL_URL = /url\(\s*(["']?)#([^\s()"'\\<>&#]+)\1\s*\)/gi
export const FRAGMENT = /^#([^\s()"'\\<>&#]+)$/

/** The attribute's value with references into the board renamed, or what is wrong with it. */
export function judgeValue(
  value: string,
  rename: (id: string) => string,
): { value: string } | { fault: string } | { ignored: string } {
  if (!/[(\\@*]/.test(value)) return { value }
  const local = value.replace(LOCAL_URL, (_, _quote: string, id: string) => `url(#${rename(id)})`)
  if (/\\|\/\*|@import/i.test(value))
    return { fault: 'escapes, comments and @import are not read: write it plainly' }
  const rest = value.replace(LOCAL_URL, '')
  const parts = rest.split('(')
  for (const part of parts.slice(0, -1)) {
    const name = /[\w-]*(?=\s*$)/.exec(part.slice(-40))![0].toLowerCase()
    if (name === 'url') return { fault: 'refers outside the file: only url(#id) of this file is possible' }
    if (OUTSIDE_FUNCTIONS.has(name))
      return { fault: `${name}(…) is not possible here: write the plain value` }
    if (!FUNCTIONS.has(name)) return { ignored: `${name || 'a bare'}(…) is no value here: ignored` }
  }
  return { value: local }
}

import type { XmlAttribute } from './xml.ts'
import { ATTRIBUTE, clip } from './xml-grammar.ts'
import { decode, match, note, type Reader, type Scope } from './xml-reader.ts'

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

/** As written, by the name with its prefix. */
type Written = Map<string, { value: string; at: number }>

interface Name {
  name: string
  namespace: string
}

/** A tag's attributes, and the namespaces that hold from there on. */
export function readAttributes(reader: Reader, tag: string): { attributes: XmlAttribute[]; scope: Scope } {
  const written = readWritten(reader, tag)
  const scope = scopeOf(reader, written)
  const attributes: XmlAttribute[] = []
  for (const [prefixed, { value, at }] of written) {
    if (prefixed === 'xmlns' || prefixed.startsWith('xmlns:')) continue
    // Without a prefix an attribute is in no namespace, not even in the default one.
    const plain = { name: prefixed, namespace: '' }
    const resolved = prefixed.includes(':') ? resolve(reader, prefixed, scope, at) : plain
    attributes.push({ ...resolved, value, line: reader.lineAt(at) })
  }
  return { attributes, scope }
}

function readWritten(reader: Reader, tag: string): Written {
  const written: Written = new Map()
  for (let found = match(reader, ATTRIBUTE); found; found = match(reader, ATTRIBUTE)) {
    const [whole, name = '', doubleQuoted, singleQuoted = ''] = found
    const at = found.index + whole.search(/[^ \t\n]/)
    const value = (doubleQuoted ?? singleQuoted).replace(/[\t\n]/g, ' ')
    if (written.has(name)) note(reader, `<${clip(tag)}> has the attribute ${clip(name)} twice: keep one`, at)
    else written.set(name, { value: decode(reader, value, at), at })
  }
  return written
}

function scopeOf(reader: Reader, written: Written): Scope {
  const declared = new Map<string, string>()
  for (const [name, { value }] of written) {
    if (name === 'xmlns') declared.set('', value)
    else if (name.startsWith('xmlns:')) declared.set(name.slice(6), value)
  }
  const outer = reader.open.at(-1)?.scope
  return declared.size || !outer ? { declared, outer } : outer
}

/** A name without its prefix, in the namespace that the prefix stands for. */
export function resolve(reader: Reader, prefixed: string, scope: Scope, at: number): Name {
  const colon = prefixed.indexOf(':')
  const prefix = colon < 0 ? '' : prefixed.slice(0, colon)
  const name = prefixed.slice(colon + 1)
  if (name === '' || name.includes(':'))
    note(reader, `${clip(prefixed)} is no name: at most one ":", inside it`, at)
  if (prefix === 'xml') return { name, namespace: XML_NAMESPACE }
  for (let within: Scope | undefined = scope; within; within = within.outer) {
    const namespace = within.declared.get(prefix)
    if (namespace !== undefined) return { name, namespace }
  }
  if (prefix)
    note(
      reader,
      `the prefix of ${clip(prefixed)} is not declared: remove it or add xmlns:${clip(prefix)}`,
      at,
    )
  return { name, namespace: '' }
}

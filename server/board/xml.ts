import { readAttributes, resolve } from './xml-attributes.ts'
import { clip, DECLARATION, DOCTYPE, FORBIDDEN, TAG_END, TAG_NAME } from './xml-grammar.ts'
import { decode, fail, lines, match, NotWellFormed, note, type Reader, upTo } from './xml-reader.ts'

export interface XmlAttribute {
  name: string
  /** empty when the attribute has no prefix */
  namespace: string
  value: string
  line: number
}

export interface XmlElement {
  name: string
  namespace: string
  attributes: XmlAttribute[]
  children: (XmlElement | string)[]
  line: number
}

export interface Fault {
  line: number
  text: string
}

export interface XmlDocument {
  /** as far as it could be read */
  root?: XmlElement
  complete: boolean
  faults: Fault[]
}

const MAX_DEPTH = 100

/** A strict reader of XML 1.0 with namespaces. It fetches nothing and expands no entity but the five of XML. */
export function parseXml(source: string): XmlDocument {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const reader: Reader = {
    text,
    at: 0,
    open: [],
    document: { complete: false, faults: [] },
    lineAt: lines(text),
  }
  try {
    readDocument(reader)
    reader.document.complete = true
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error
    reader.document.faults.push({ line: error.line, text: error.message })
  }
  return reader.document
}

function readDocument(reader: Reader): void {
  const forbidden = FORBIDDEN.exec(reader.text)
  if (forbidden) fail(reader, 'a character that XML does not allow: delete it', forbidden.index)
  readDeclaration(reader)
  while (reader.at < reader.text.length) readNext(reader)
  const unclosed = reader.open.at(-1)
  if (unclosed) throw new NotWellFormed(unclosed.element.line, `<${clip(unclosed.tag)}> is never closed`)
  if (!reader.document.root) fail(reader, 'no element at all: the file must hold one <svg>')
}

function readNext(reader: Reader): void {
  const { text, at } = reader
  if (text[at] !== '<') readText(reader)
  else if (text[at + 1] === '/') readEndTag(reader)
  else if (text[at + 1] === '?') readInstruction(reader)
  else if (text.startsWith('<!--', at)) readComment(reader)
  else if (text.startsWith('<![CDATA[', at)) readCharacterData(reader)
  else if (text[at + 1] === '!') readDoctype(reader)
  else readStartTag(reader)
}

function readDeclaration(reader: Reader): void {
  if (!/^<\?xml[ \t\n?]/.test(reader.text.slice(0, 6))) return
  const found =
    match(reader, DECLARATION) ?? fail(reader, 'the XML declaration is not well-formed: remove it')
  const [, version, encoding = 'utf-8'] = found
  if (version !== '1.0') note(reader, 'XML 1.0 is meant: write version="1.0"', 0)
  if (!/^(utf-?8|us-ascii)$/i.test(encoding))
    note(reader, 'another encoding is declared: save the file as UTF-8', 0)
}

function readText(reader: Reader): void {
  const start = reader.at
  const raw = reader.text.slice(start, upTo(reader, '<', 0) ?? reader.text.length)
  reader.at = start + raw.length
  const parent = reader.open.at(-1)
  if (raw.includes(']]>')) note(reader, '"]]>" in text: write "]]&gt;"', start + raw.indexOf(']]>'))
  if (parent) parent.element.children.push(decode(reader, raw, start))
  else if (/[^ \t\n]/.test(raw))
    fail(reader, 'text outside the <svg> element: delete it', start + raw.search(/[^ \t\n]/))
}

function readEndTag(reader: Reader): void {
  const start = reader.at
  const closing = reader.open.pop() ?? fail(reader, 'an end tag that closes nothing: remove it')
  reader.at += 2
  const tag = match(reader, TAG_NAME)?.[0] ?? ''
  if (tag !== closing.tag)
    fail(
      reader,
      `</${clip(tag)}> where </${clip(closing.tag)}> must come (opened in line ${closing.element.line})`,
      start,
    )
  if (match(reader, TAG_END)?.[1] !== '') fail(reader, `</${clip(tag)}> is not well-formed`, start)
}

function readInstruction(reader: Reader): void {
  const start = reader.at
  const end = upTo(reader, '?>', 2) ?? fail(reader, 'a processing instruction is not finished')
  const target = /^[^ \t\n?]*/.exec(reader.text.slice(start + 2, start + 62))![0]
  // XMP packets in metadata are wrapped in these; they say nothing about the picture
  if (target !== 'xpacket') note(reader, `processing instruction <?${target}…?>: remove it`, start)
  reader.at = end + 2
}

function readComment(reader: Reader): void {
  const end = upTo(reader, '--', 4) ?? fail(reader, 'a comment is not finished')
  if (reader.text[end + 2] !== '>') fail(reader, '"--" inside a comment: write something else', end)
  reader.at = end + 3
}

function readCharacterData(reader: Reader): void {
  const parent = reader.open.at(-1) ?? fail(reader, 'CDATA outside the <svg> element: delete it')
  const end = upTo(reader, ']]>', 9) ?? fail(reader, 'a CDATA section is not finished')
  parent.element.children.push(reader.text.slice(reader.at + 9, end))
  reader.at = end + 3
}

function readDoctype(reader: Reader): void {
  const start = reader.at
  const found =
    match(reader, DOCTYPE) ?? fail(reader, 'a declaration (<!…>) that is not well-formed: remove it')
  if (reader.document.root) fail(reader, 'a DOCTYPE after the root element: remove it', start)
  if (found[1] === '>') return
  note(reader, 'the DOCTYPE declares entities or types: remove the whole <!DOCTYPE …]>', start)
  const end = /\][ \t\n]*>/g
  end.lastIndex = reader.at
  if (!end.exec(reader.text)) fail(reader, 'the DOCTYPE is not finished', start)
  reader.at = end.lastIndex
}

function readStartTag(reader: Reader): void {
  const start = reader.at
  reader.at += 1
  const tag = match(reader, TAG_NAME)?.[0] ?? fail(reader, '"<" begins no tag: write "&lt;"', start)
  if (reader.document.root && !reader.open.length)
    fail(reader, 'a second root element: one <svg> only', start)
  if (reader.open.length >= MAX_DEPTH)
    fail(reader, `nested deeper than ${MAX_DEPTH} elements: ungroup`, start)
  const { attributes, scope } = readAttributes(reader, tag)
  const end = match(reader, TAG_END) ?? fail(reader, `<${clip(tag)}> is not well-formed here`)
  const { name, namespace } = resolve(reader, tag, scope, start)
  const element: XmlElement = { name, namespace, attributes, children: [], line: reader.lineAt(start) }
  const parent = reader.open.at(-1)
  if (parent) parent.element.children.push(element)
  else reader.document.root = element
  if (end[1] === '') reader.open.push({ element, tag, scope })
}

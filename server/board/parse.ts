import { SaxesParser, type SaxesTagNS } from 'saxes'
import { clip, Findings } from './findings.ts'
import { Entities } from './import/entities.ts'

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
  id: string | undefined
  attributes: XmlAttribute[]
  children: (XmlElement | string)[]
  parent: XmlElement | undefined
  line: number
}

export interface XmlDocument {
  /** as far as it could be read */
  root?: XmlElement
  complete: boolean
  findings: Findings
}

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const MAX_DEPTH = 100
const MAX_ELEMENTS = 100_000
const MAX_FAULTS = 1000

/** What saxes says, in words that say what to do. */
const FATAL: [said: RegExp, text: string][] = [
  [/^text data outside/, 'text outside the <svg> element: delete it'],
  [/^document must contain a root/, 'no element at all: the file must hold one <svg>'],
  [/^malformed comment/, '"--" inside a comment: write something else'],
  [/^disallowed character in tag name$/, '"<" begins no tag: write "&lt;"'],
  [/^disallowed character\.$/, 'a character that XML does not allow here: delete it'],
  [/^unmatched closing tag: (.*)\.$/, '</$1> closes nothing: remove it'],
  [
    /^(an|the) XML declaration must/,
    'the XML declaration (<?xml…?>) must be the first thing in the file: move it',
  ],
  [/^(.*?)\.?$/, 'not well-formed: $1'],
]

/** What swallows the rest of a file, end tags included, when its end is missing. */
const UNFINISHED: [start: string, end: string, text: string][] = [
  ['<!--', '-->', 'a comment is not finished'],
  ['<![CDATA[', ']]>', 'a CDATA section is not finished'],
  ['&', ';', '"&" by itself: write "&amp;"'],
]

/** After these the rest can still be read as it is meant. */
const HARMLESS: typeof FATAL = [
  [/^malformed character entity/, 'a reference (&#…;) to no character of XML: delete it'],
  [/^the string "\]\]>"/, '"]]>" in text: write "]]&gt;"'],
  [/^unbound namespace prefix: (.*)\.$/, 'the prefix $1 is not declared: remove what bears it'],
  [/^duplicate attribute: (.*)\.$/, 'attribute $1 twice: keep one'],
]

/** Reads XML 1.0 with namespaces, strictly. Nothing is fetched; entities are those of XML and of the file itself. */
export function parseXml(source: string): XmlDocument {
  const reader = new Reader(source)
  try {
    reader.read()
    reader.document.complete = true
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error
  }
  return reader.document
}

class NotWellFormed extends Error {}

class Reader {
  readonly document: XmlDocument = { complete: false, findings: new Findings() }
  private readonly parser = new SaxesParser({ xmlns: true, position: false })
  private readonly open: XmlElement[] = []
  private elements = 0
  private entities: Entities | undefined
  private lastClosed: XmlElement | undefined
  /** the name of the start tag that is being read */
  private tag: string | undefined
  private tagLine = 1
  private attributeLines: number[] = []

  constructor(private readonly source: string) {
    const { parser } = this
    parser.ENTITIES = tableOf(parser.ENTITIES, name => this.entity(name))
    parser.on('error', ({ message }) => this.judge(message))
    parser.on('xmldecl', declaration => this.declare(declaration))
    parser.on('doctype', text => this.doctype(text))
    parser.on('processinginstruction', ({ target }) => this.instruct(target))
    parser.on('opentagstart', ({ name }) => this.startTag(name))
    parser.on('attribute', () => this.attributeLines.push(parser.line))
    parser.on('opentag', tag => this.openElement(tag))
    parser.on('closetag', () => (this.lastClosed = this.open.pop()))
    parser.on('text', text => this.open.at(-1)?.children.push(text))
    parser.on('cdata', text => this.open.at(-1)?.children.push(text))
  }

  read(): void {
    // saxes takes half of a surrogate pair together with whatever follows it
    const half = /\p{Surrogate}/u.exec(this.source)
    if (half) this.fail('a character that XML does not allow: delete it', lineAt(this.source, half.index))
    this.parser.write(this.source).close()
  }

  private note(text: string, line = this.parser.line): void {
    const { findings } = this.document
    findings.faultInLine(line, text)
    if (findings.faults.length >= MAX_FAULTS) throw new NotWellFormed(text)
  }

  private fail(text: string, line?: number): never {
    this.note(text, line)
    throw new NotWellFormed(text)
  }

  private judge(message: string): void {
    const harmless = translate(message, HARMLESS)
    if (harmless !== undefined) this.note(harmless)
    else if (message.startsWith('unexpected close tag')) this.failUnclosed(this.lastClosed)
    else if (message.startsWith('unclosed tag')) this.failUnclosed(this.open.at(-1))
    else if (this.tag !== undefined)
      this.fail(`<${clip(this.tag)}> is not well-formed here: ${message.replace(/\.$/, '')}`)
    else this.fail(translate(message, FATAL)!)
  }

  private failUnclosed(element: XmlElement | undefined): never {
    for (const [start, end, text] of UNFINISHED) {
      const at = this.source.lastIndexOf(start)
      if (at >= 0 && !this.source.includes(end, at)) this.fail(text, lineAt(this.source, at))
    }
    this.fail(`<${clip(element?.name ?? '')}> is never closed`, element?.line)
  }

  private entity(name: string): string {
    const declared = this.entities?.resolve(name)
    if (declared !== undefined) return declared
    if (/[\s<>&"']/.test(name))
      this.fail('"&" by itself: write "&amp;"', this.parser.line - name.split('\n').length + 1)
    this.note(`&${clip(name)}; is not known: write the character itself`)
    return ''
  }

  private declare({ version }: { version?: string }): void {
    if (version !== '1.0') this.note('XML 1.0 is meant: write version="1.0"')
  }

  private doctype(text: string): void {
    if (text.includes('[')) this.entities = new Entities(text, fault => this.note(fault))
  }

  private instruct(target: string): void {
    const name = `?${target}`
    if (target === 'xml-stylesheet')
      this.note(
        '<?xml-stylesheet…?> refers outside the file: remove it, or put the style sheet into the file',
      )
    else
      this.document.findings.note(
        { name, id: undefined, line: this.parser.line },
        'processing instructions say nothing about the picture: left out',
      )
  }

  private startTag(name: string): void {
    if (this.document.root && !this.open.length) this.fail('a second root element: one <svg> only')
    this.tag = name
    const { line, column } = this.parser
    // the name has been read with the character behind it, which may end the line
    this.tagLine = column === 0 ? line - 1 : line
    this.attributeLines = []
    if (++this.elements > MAX_ELEMENTS) this.fail(`more than ${MAX_ELEMENTS} elements: simplify the drawing`)
    if (this.open.length >= MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} elements: ungroup`)
  }

  private openElement({ local, uri, attributes }: SaxesTagNS): void {
    const parent = this.open.at(-1)
    const element: XmlElement = {
      name: local,
      namespace: uri,
      id: attributes.id?.value,
      attributes: Object.values(attributes).map(({ local: name, uri: namespace, value }, index) => ({
        name,
        namespace,
        value,
        line: this.attributeLines[index] ?? this.tagLine,
      })),
      children: [],
      parent,
      line: this.tagLine,
    }
    this.tag = undefined
    if (parent) parent.children.push(element)
    else this.document.root = element
    this.open.push(element)
  }
}

/** saxes asks a plain table; this one also hears of what is not in it. */
function tableOf(known: Record<string, string>, unknown: (name: string) => string): Record<string, string> {
  return new Proxy(known, { get: (_, name) => known[String(name)] ?? unknown(String(name)) })
}

function translate(message: string, sentences: typeof FATAL): string | undefined {
  const found = sentences.find(([said]) => said.test(message))
  return found && clip(message.replace(...found))
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

export function get(element: XmlElement, name: string): string | undefined {
  return element.attributes.find(a => a.name === name && a.namespace === '')?.value
}

export function set(element: XmlElement, name: string, value: string): void {
  const known = element.attributes.find(a => a.name === name && a.namespace === '')
  if (known) known.value = value
  else element.attributes.push({ name, namespace: '', value, line: element.line })
}

export function remove(element: XmlElement, name: string): void {
  if (get(element, name) === undefined) return
  element.attributes = element.attributes.filter(a => a.name !== name || a.namespace !== '')
}

interface Tree<T> {
  children: (T | string)[]
}

export const elementsIn = <T extends Tree<T>>({ children }: Tree<T>): T[] =>
  children.filter(child => typeof child !== 'string')

/** The element and all under it, in the order of the file. */
export function descendants<T extends Tree<T>>(element: T, found: T[] = []): T[] {
  found.push(element)
  for (const child of element.children) if (typeof child !== 'string') descendants(child, found)
  return found
}

export function textIn<T extends Tree<T>>({ children }: Tree<T>): string {
  return children.map(child => (typeof child === 'string' ? child : textIn(child))).join('')
}

/** A new element in the place of another, or inside it. */
export function make(
  { namespace, parent, line }: XmlElement,
  name: string,
  attributes: Record<string, string>,
  children: XmlElement['children'] = [],
): XmlElement {
  const element: XmlElement = { name, namespace, id: undefined, attributes: [], children, parent, line }
  for (const [key, value] of Object.entries(attributes)) set(element, key, value)
  return element
}

import { compile } from 'css-select'
import { parse, type Selector } from 'css-what'
import { descendants, get, type XmlElement } from '../parse.ts'

type Node = XmlElement | string

/** More work than a picture's style sheet can need; counted, so that it is the same on every machine. */
export class TooMuchWork extends Error {}

const MAX_STEPS = 20_000_000
const MAX_TOKENS = 64

/** One selector of a list: what it selects, and how it weighs against others. */
export interface Selected {
  elements: XmlElement[]
  specificity: number
}

/** Finds elements as a style sheet does. */
export class Selecting {
  private readonly elements: XmlElement[]
  private readonly byKey = new Map<Kind, Map<string, XmlElement[]>>()
  private steps = 0

  constructor(root: XmlElement) {
    this.elements = descendants(root)
  }

  /** Throws where css-what or css-select does not know a selector. */
  select(list: string): Selected[] {
    this.count(list.length)
    return parse(list).map(tokens => ({
      elements: this.selectOne(tokens),
      specificity: specificityOf(tokens),
    }))
  }

  private selectOne(tokens: Selector[]): XmlElement[] {
    if (tokens.length > MAX_TOKENS) throw new Error('a selector of too many parts')
    const candidates = this.candidates(keyOf(tokens))
    this.count(candidates.length + 1)
    if (!candidates.length || isKeyAlone(tokens)) return candidates
    const matches = compile<Node, XmlElement>([tokens], { adapter: this.adapter, xmlMode: true })
    return candidates.filter(matches)
  }

  private candidates(key: Key | undefined): XmlElement[] {
    if (!key) return this.elements
    const known = this.byKey.get(key.kind) ?? indexOf(this.elements, key.kind)
    this.byKey.set(key.kind, known)
    return known.get(key.value) ?? []
  }

  /** Every step of the work, here or with what was found, is told. */
  count(steps: number): void {
    this.steps += steps
    if (this.steps > MAX_STEPS) throw new TooMuchWork()
  }

  private counted<T>(value: T, steps = 1): T {
    this.count(steps)
    return value
  }

  private readonly adapter = {
    isTag: (node: Node): node is XmlElement => typeof node !== 'string',
    getAttributeValue: (element: XmlElement, name: string) =>
      this.counted(get(element, name), element.attributes.length + 1),
    hasAttrib: (element: XmlElement, name: string) =>
      this.counted(get(element, name) !== undefined, element.attributes.length + 1),
    getChildren: (node: Node) =>
      typeof node === 'string' ? [] : this.counted(node.children, node.children.length + 1),
    getName: (element: XmlElement) => this.counted(element.name),
    getParent: (element: XmlElement) => this.counted(element.parent ?? null),
    getSiblings: (node: Node) => {
      const parent = typeof node === 'string' ? undefined : node.parent
      return parent ? this.counted(parent.children, parent.children.length) : [node]
    },
    getText: () => '',
    removeSubsets: (nodes: Node[]) => nodes,
  }
}

type Kind = 'id' | 'class' | 'name'

/** What an element can be found by. */
interface Key {
  kind: Kind
  value: string
}

function indexOf(elements: XmlElement[], kind: Kind): Map<string, XmlElement[]> {
  const index = new Map<string, XmlElement[]>()
  for (const element of elements) {
    for (const value of valuesOf(element, kind)) {
      const known = index.get(value)
      if (known) known.push(element)
      else index.set(value, [element])
    }
  }
  return index
}

function valuesOf(element: XmlElement, kind: Kind): Iterable<string> {
  if (kind === 'name') return [element.name]
  if (kind === 'id') return element.id === undefined ? [] : [element.id]
  const classes = get(element, 'class')
  if (!classes) return []
  return /\s/.test(classes) ? new Set(classes.trim().split(/\s+/)) : [classes]
}

/** The narrowest that the selector names. */
function keyOf(tokens: Selector[]): Key | undefined {
  const keys = subject(tokens).map(keyOfToken)
  const of = (kind: Kind) => keys.find(key => key?.kind === kind)
  return of('id') ?? of('class') ?? of('name')
}

function keyOfToken(token: Selector): Key | undefined {
  if (token.type === 'tag') return { kind: 'name', value: token.name }
  if (token.type !== 'attribute' || token.namespace !== null) return undefined
  if (token.name === 'id' && token.action === 'equals') return { kind: 'id', value: token.value }
  return token.name === 'class' && token.action === 'element'
    ? { kind: 'class', value: token.value }
    : undefined
}

/** The part behind the last combinator. */
function subject(tokens: Selector[]): Selector[] {
  const combinator = tokens.findLastIndex(({ type }) =>
    ['adjacent', 'child', 'descendant', 'parent', 'sibling', 'column-combinator'].includes(type),
  )
  return tokens.slice(combinator + 1)
}

const isKeyAlone = (tokens: Selector[]) =>
  tokens.length === 1 && (tokens[0]!.type === 'universal' || keyOfToken(tokens[0]!) !== undefined)

/** As one number: ids, then classes and their like, then names. */
function specificityOf(tokens: Selector[]): number {
  return tokens.reduce((sum, token) => sum + weightOf(token), 0)
}

function weightOf(token: Selector): number {
  if (token.type === 'tag' || token.type === 'pseudo-element') return 1
  if (token.type === 'attribute') return token.name === 'id' && token.action === 'equals' ? 1e6 : 1e3
  if (token.type !== 'pseudo' || token.name === 'where') return 0
  return Array.isArray(token.data) ? Math.max(0, ...token.data.map(specificityOf)) : 1e3
}

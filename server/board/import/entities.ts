import { clip } from '../findings.ts'

const DECLARED = /<!ENTITY\s+([^\s%"'<>]+)\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\b)/g
const CHARACTER = /&#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));/g
const REFERENCE = /&([^\s;&#]+);/g
const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])
const MAX_EXPANDED = 256 * 1024
const MAX_CHAIN = 16

/** The entities that a DOCTYPE declares in the file itself, as Illustrator writes for its namespaces. */
export class Entities {
  private readonly values = new Map<string, string>()
  private expanded = 0

  /** `fault` is told what cannot be read; the parser then goes on without it. */
  constructor(
    doctype: string,
    private readonly fault: (text: string) => void,
  ) {
    const declarations = doctype.replace(/<!--.*?-->/gs, '')
    if (/<!ENTITY\s+%/.test(declarations))
      fault('the DOCTYPE declares parts of itself (%): remove the whole <!DOCTYPE …]>')
    for (const [, name = '', quoted, single] of declarations.matchAll(DECLARED)) {
      const value = quoted ?? single
      if (value === undefined)
        fault(`the entity &${clip(name)}; refers outside the file: remove its declaration`)
      // the first declaration of a name is the one that counts
      else if (!this.values.has(name)) this.values.set(name, value)
    }
  }

  /** What `&name;` stands for, as text; undefined when it was never declared. */
  resolve(name: string, chain = 0): string | undefined {
    const value = this.values.get(name)
    if (value === undefined) return undefined
    if (this.expanded > MAX_EXPANDED) return ''
    this.expanded += value.length + 1
    if (chain > MAX_CHAIN || this.expanded > MAX_EXPANDED) {
      this.expanded = Number.POSITIVE_INFINITY
      this.fault('the entities of the DOCTYPE grow without end: write out what they stand for')
      return ''
    }
    return this.written(name, value, chain)
  }

  private written(name: string, value: string, chain: number): string {
    const literal = value.replace(CHARACTER, (reference, decimal, hex) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : reference
    })
    if (literal.includes('<')) {
      this.fault(`the entity &${clip(name)}; holds elements: write them where it stands`)
      return ''
    }
    return literal.replace(
      REFERENCE,
      (reference, inner: string) => this.resolve(inner, chain + 1) ?? PREDEFINED.get(inner) ?? reference,
    )
  }
}

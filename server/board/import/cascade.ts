import { clip, type Findings } from '../findings.ts'
import { descendants, get, textIn, type XmlElement } from '../parse.ts'
import { replaceCalls } from './css.ts'
import { Selecting, TooMuchWork } from './select.ts'
import { appliesToScreen, type Declaration, type Rule, readSheet, readStyle } from './sheets.ts'

/** What CSS says of an element, by property, the winner of the cascade alone. */
export type Styles = ReadonlyMap<string, string>

/** What style sheets and `style` attributes say of every element under the root. */
export function cascade(root: XmlElement, findings: Findings): Map<XmlElement, Styles> {
  const elements = descendants(root)
  const rules = elements.filter(isStyleSheet).flatMap(style => readSheet(textIn(style), style, findings))
  const winners = new Winners()
  applyRules(root, rules, winners, findings)
  // drawings say the same thing of many shapes
  const read = new Map<string, Saying>()
  for (const element of elements) {
    const style = get(element, 'style')
    if (style === undefined) continue
    const saying = read.get(style) ?? winners.saying(readStyle(style, element, findings), IN_PLACE)
    read.set(style, saying)
    winners.add(element, saying)
  }
  const styles = winners.styles()
  resolveValues(root, styles)
  return styles
}

const isStyleSheet = (element: XmlElement) =>
  element.name === 'style' && appliesToScreen(get(element, 'media') ?? '')

function applyRules(root: XmlElement, rules: Rule[], winners: Winners, findings: Findings): void {
  if (!rules.length) return
  const selecting = new Selecting(root)
  try {
    for (const { selectors, declarations } of rules)
      for (const { elements, specificity } of select(selecting, selectors, root, findings)) {
        selecting.count(elements.length * declarations.length * STEPS_OF_ONE)
        const saying = winners.saying(declarations, specificity)
        for (const element of elements) winners.add(element, saying)
      }
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error
    findings.fault(root, ': the style sheet takes too long to apply: export with presentation attributes')
  }
}

function select(selecting: Selecting, selectors: string, root: XmlElement, findings: Findings) {
  try {
    return selecting.select(selectors)
  } catch (error) {
    if (error instanceof TooMuchWork) throw error
    findings.warn(
      root,
      `the style rule for ${JSON.stringify(clip(selectors.trim()))} is not understood: left out`,
    )
    return []
  }
}

/** To note one declaration takes as long as several steps of finding its shapes. */
const STEPS_OF_ONE = 5
const IN_PLACE = 1e9
const IMPORTANT = 1e12

/** What one rule or one `style` attribute says. */
interface Saying {
  number: number
  declarations: Declaration[]
  specificity: number
}

/** Later declarations win over earlier ones of the same weight. */
class Winners {
  private readonly of = new Map<XmlElement, Saying[]>()
  private sayings = 0

  saying(declarations: Declaration[], specificity: number): Saying {
    return { number: this.sayings++, declarations, specificity }
  }

  add(element: XmlElement, saying: Saying): void {
    const known = this.of.get(element)
    if (known) known.push(saying)
    else this.of.set(element, [saying])
  }

  /** One and the same for elements of which the same is said. */
  styles(): Map<XmlElement, Styles> {
    const alike = new Map<string, Styles>()
    const styles = new Map<XmlElement, Styles>()
    for (const [element, sayings] of this.of) {
      const key = sayings.map(({ number }) => number).join()
      const style = alike.get(key) ?? styleOf(sayings)
      alike.set(key, style)
      styles.set(element, style)
    }
    return styles
  }
}

function styleOf(sayings: Saying[]): Styles {
  const weights = new Map<string, number>()
  const style = new Map<string, string>()
  for (const { declarations, specificity } of sayings)
    for (const { property, value, important } of declarations) {
      const weight = specificity + (important ? IMPORTANT : 0)
      for (const name of LONGHANDS[property] ?? [property]) {
        if ((weights.get(name) ?? 0) > weight) continue
        weights.set(name, weight)
        style.set(name, value)
      }
    }
  return style
}

const LONGHANDS: Record<string, string[]> = Object.assign(Object.create(null), {
  marker: ['marker-start', 'marker-mid', 'marker-end'],
  'text-decoration-line': ['text-decoration'],
  'background-color': ['background'],
})

/** `var(…)` stands for what an ancestor says; `light-dark(…)` for its light half. */
function resolveValues(root: XmlElement, styles: Map<XmlElement, Styles>): void {
  const visit = (element: XmlElement, inherited: Styles) => {
    const own = styles.get(element)
    let declared: Map<string, string> | undefined
    let resolved: Map<string, string> | undefined
    for (const [property, value] of own ?? NONE) {
      if (!property.startsWith('--')) continue
      declared ??= new Map(inherited)
      declared.set(property, resolve(value, declared))
    }
    const variables = declared ?? inherited
    for (const [property, value] of own ?? NONE)
      if (value.includes('(')) resolved = (resolved ?? new Map(own)).set(property, resolve(value, variables))
    if (resolved) styles.set(element, resolved)
    for (const child of element.children) if (typeof child !== 'string') visit(child, variables)
  }
  visit(root, NONE)
}

const NONE: Styles = new Map()

/** Empty when a variable has no value: then the declaration counts as if it were not there. */
function resolve(value: string, custom: Styles): string {
  const light = replaceCalls(value, 'light-dark', ([first = '']) => first)
  return replaceCalls(light, 'var', ([name = '', ...fallback]) => custom.get(name) ?? fallback.join(','))
}

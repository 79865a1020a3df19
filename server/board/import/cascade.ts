import { clip, type Findings } from '../findings.ts'
import { descendants, elementsIn, get, textIn, type XmlElement } from '../parse.ts'
import { replaceCalls } from './css.ts'
import { Selecting, TooMuchWork } from './select.ts'
import { appliesToScreen, type Declaration, type Rule, readSheet, readStyle } from './sheets.ts'

/** What CSS says of an element, by property, the winner of the cascade alone. */
export type Styles = Map<string, string>

/** What style sheets and `style` attributes say of every element under the root. */
export function cascade(root: XmlElement, findings: Findings): Map<XmlElement, Styles> {
  const elements = descendants(root)
  const rules = elements.filter(isStyleSheet).flatMap(style => readSheet(textIn(style), style, findings))
  const winners = new Winners()
  applyRules(root, rules, winners, findings)
  // drawings say the same thing of many shapes
  const read = new Map<string, Declaration[]>()
  for (const element of elements) {
    const style = get(element, 'style')
    if (style === undefined) continue
    const declarations = read.get(style) ?? readStyle(style, element, findings)
    read.set(style, declarations)
    winners.add(element, declarations, IN_PLACE)
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
        for (const element of elements) winners.add(element, declarations, specificity)
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

type Won = Map<string, { value: string; weight: number }>

/** Later declarations win over earlier ones of the same weight. */
class Winners {
  private readonly of = new Map<XmlElement, Won>()

  add(element: XmlElement, declarations: Declaration[], specificity: number): void {
    const known: Won = this.of.get(element) ?? new Map()
    this.of.set(element, known)
    for (const { property, value, important } of declarations) {
      const weight = specificity + (important ? IMPORTANT : 0)
      for (const name of LONGHANDS[property] ?? [property])
        if ((known.get(name)?.weight ?? 0) <= weight) known.set(name, { value, weight })
    }
  }

  styles(): Map<XmlElement, Styles> {
    const values = (won: Won): Styles => new Map([...won].map(([property, { value }]) => [property, value]))
    return new Map([...this.of].map(([element, won]) => [element, values(won)]))
  }
}

const LONGHANDS: Record<string, string[]> = Object.assign(Object.create(null), {
  marker: ['marker-start', 'marker-mid', 'marker-end'],
  'text-decoration-line': ['text-decoration'],
  'background-color': ['background'],
})

/** `var(…)` stands for what an ancestor says; `light-dark(…)` for its light half. */
function resolveValues(root: XmlElement, styles: Map<XmlElement, Styles>): void {
  const visit = (element: XmlElement, inherited: Styles) => {
    const own: Styles = styles.get(element) ?? NONE
    let variables = inherited
    for (const [property, value] of own) {
      if (!property.startsWith('--')) continue
      if (variables === inherited) variables = new Map(inherited)
      variables.set(property, resolve(value, variables))
    }
    for (const [property, value] of own) if (value.includes('(')) own.set(property, resolve(value, variables))
    for (const child of elementsIn(element)) visit(child, variables)
  }
  visit(root, NONE)
}

const NONE: Styles = new Map()

/** Empty when a variable has no value: then the declaration counts as if it were not there. */
function resolve(value: string, custom: Styles): string {
  const light = replaceCalls(value, 'light-dark', ([first = '']) => first)
  return replaceCalls(light, 'var', ([name = '', ...fallback]) => custom.get(name) ?? fallback.join(','))
}

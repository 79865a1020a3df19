/// <reference path="./css-tree-parser.d.ts" />
import type { Atrule, Block, CssNode, DeclarationList, StyleSheet } from 'css-tree'
import parse from 'css-tree/parser'
import { clip, type Findings } from '../findings.ts'
import type { XmlElement } from '../parse.ts'
import { bracketDepth } from './css.ts'

export interface Declaration {
  property: string
  value: string
  important: boolean
}

export interface Rule {
  selectors: string
  declarations: Declaration[]
}

const MAX_DEPTH = 64
/** Preludes and values are left as text: they are read where they are used, and only if they are. */
const AS_TEXT = {
  parseAtrulePrelude: false,
  parseRulePrelude: false,
  parseValue: false,
  parseCustomProperty: false,
}
const STILL = 'a board holds still: the animation of the style sheet is left out'

/** The rules of a style sheet that hold for a picture on a light screen. */
export function readSheet(css: string, style: XmlElement, findings: Findings): Rule[] {
  if (bracketDepth(css) > MAX_DEPTH) {
    findings.fault(style, ': the style sheet is nested too deep: export with presentation attributes')
    return []
  }
  return rulesOf(parse(css, AS_TEXT) as StyleSheet, style, findings)
}

/** The declarations of a `style` attribute. */
export function readStyle(css: string, element: XmlElement, findings: Findings): Declaration[] {
  if (bracketDepth(css) > MAX_DEPTH) {
    findings.warn(element, 'style: brackets nested too deep: left out')
    return []
  }
  const list = parse(css, { ...AS_TEXT, context: 'declarationList' }) as DeclarationList
  return declarationsOf(list, element, findings)
}

function rulesOf(sheet: StyleSheet | Block, style: XmlElement, findings: Findings): Rule[] {
  const rules: Rule[] = []
  sheet.children.forEach(node => {
    if (node.type === 'Rule' && node.prelude.type === 'Raw')
      rules.push({
        selectors: node.prelude.value,
        declarations: declarationsOf(node.block, style, findings),
      })
    else if (node.type === 'Atrule') rules.push(...rulesOfAtrule(node, style, findings))
    else if (node.type === 'Raw' && node.value.trim())
      findings.warn(style, `${JSON.stringify(clip(node.value))} is no rule of a style sheet: ignored`)
  })
  return rules
}

function rulesOfAtrule({ name, prelude, block }: Atrule, style: XmlElement, findings: Findings): Rule[] {
  const said = prelude?.type === 'Raw' ? prelude.value.trim() : ''
  const kind = name.toLowerCase().replace(/^-\w+-/, '')
  if (kind === 'import')
    findings.fault(style, ` @import: refers outside the file: remove ${clip(said)} from the style sheet`)
  else if (kind === 'keyframes') findings.warn(style, STILL)
  else if (kind === 'font-face')
    findings.warn(style, "@font-face: fonts do not travel with a board: left out, the browser's own are used")
  else if (kind === 'media' && block && appliesToScreen(said)) return rulesOf(block, style, findings)
  else if (kind !== 'charset' && kind !== 'namespace')
    findings.warn(style, `@${clip(`${name} ${said}`.trim())}: left out of the style sheet`)
  return []
}

/** A query is taken as a light screen of no certain size answers it. */
export function appliesToScreen(query: string): boolean {
  return query
    .toLowerCase()
    .split(',')
    .some(part =>
      /^\s*((only\s+)?(all|screen))?\s*(and\s*)?(\(prefers-color-scheme:\s*light\))?\s*$/.test(part),
    )
}

function declarationsOf(
  block: Block | DeclarationList,
  place: XmlElement,
  findings: Findings,
): Declaration[] {
  const declarations: Declaration[] = []
  block.children.forEach((node: CssNode) => {
    if (node.type === 'Declaration' && node.value.type === 'Raw')
      declarations.push({
        property: node.property.startsWith('--') ? node.property : node.property.toLowerCase(),
        value: node.value.value.replace(/\/\*.*?\*\//gs, ' ').trim(),
        important: node.important !== false,
      })
    else if (node.type === 'Raw' && node.value.replace(/;/g, '').trim())
      findings.warn(
        place,
        `style: ${JSON.stringify(clip(node.value.trim()))} is no declaration (property: value): ignored`,
      )
  })
  return declarations
}

import { clip, type Findings } from '../findings.ts'
import { remove, set, type XmlElement } from '../parse.ts'
import { INERT, INERT_AT, PRESENTATION } from '../vocabulary.ts'
import type { Styles } from './cascade.ts'
import { splitOutside } from './css.ts'

/** CSS takes a bare number for these only when it is 0; an attribute would take any. */
const NEEDS_UNIT = new Set('font-size letter-spacing word-spacing x y width height cx cy r rx ry'.split(' '))
const ANIMATED = /^(-\w+-)?(animation|transition|offset)(-|$)/
const FONT =
  /^(?<before>(?:(?:normal|italic|oblique|small-caps|bold|bolder|lighter|\d00)\s+)*)(?<size>[\d.]+(?:%|[a-z]+)|(?:x{1,2}-)?(?:small|large)|medium|smaller|larger)(?:\s*\/\s*[\w.%]+)?\s+(?<family>.+)$/i

/** Puts what CSS says of a shape into attributes, which a strict content security policy lets through. */
export function inline(element: XmlElement, styles: Styles, findings: Findings): void {
  for (const [property, value] of styles) {
    if (property.startsWith('--')) continue
    if (property === 'transform') setTransform(element, value, findings)
    else if (property === 'font') setFont(element, value, findings)
    else if (PRESENTATION.has(property)) setPlain(element, property, value, findings)
    else if (ANIMATED.test(property))
      findings.warn(element, 'a board holds still: animations and transitions of the style are left out')
    else if (property.startsWith('-') || INERT.has(property) || INERT_AT[property] === value.toLowerCase())
      findings.note(element, 'style: what changes nothing in a picture is left out, such as line-height')
    else findings.warn(element, `style: ${clip(property)} has no attribute in SVG: left out`)
  }
}

function setPlain(element: XmlElement, property: string, value: string, findings: Findings): void {
  // what a variable without a value leaves behind counts as not said anywhere
  if (value === '') remove(element, property)
  else if (NEEDS_UNIT.has(property) && /^[+-]?[\d.]+$/.test(value) && Number(value) !== 0)
    findings.warn(element, `style: ${property} without a unit is no length in CSS: ignored, as browsers do`)
  else set(element, property, value)
}

const DEGREES: Record<string, number> = { deg: 1, '': 1, rad: 180 / Math.PI, turn: 360, grad: 0.9 }

/** The attribute knows neither units nor percentages. */
function setTransform(element: XmlElement, value: string, findings: Findings): void {
  const plain = value
    .toLowerCase()
    .replace(/([\d.])px/g, '$1')
    .replace(/([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|rad|turn|grad)/g, (_, number, unit) =>
      String(Number(number) * DEGREES[unit]!),
    )
    .replace(/translatex\(/g, 'translate(')
    .replace(/translatey\(/g, 'translate(0,')
    .replace(/scalex\(([^)]*)\)/g, 'scale($1,1)')
    .replace(/scaley\(/g, 'scale(1,')
    .replace(/skewx\(/g, 'skewX(')
    .replace(/skewy\(/g, 'skewY(')
  if (plain === 'none') remove(element, 'transform')
  else if (/^(\s*(matrix|translate|scale|rotate|skewX|skewY)\([\d\s.,e+-]*\))+\s*$/.test(plain))
    set(element, 'transform', plain)
  else findings.warn(element, 'style: a transform that has no attribute in SVG: left out')
}

function setFont(element: XmlElement, value: string, findings: Findings): void {
  const { before = '', size = '', family = '' } = FONT.exec(value.slice(0, 1000))?.groups ?? {}
  if (!size) {
    findings.warn(element, 'style: a font that cannot be read: left out')
    return
  }
  const words = before.toLowerCase().split(/\s+/)
  const word = (pattern: RegExp) => words.find(text => pattern.test(text)) ?? 'normal'
  set(element, 'font-style', word(/^(italic|oblique)$/))
  set(element, 'font-variant', word(/^small-caps$/))
  set(element, 'font-weight', word(/^(bold|bolder|lighter|\d00)$/))
  set(element, 'font-size', size)
  set(element, 'font-family', family)
}

/** The colour that CSS paints behind the drawing, if it is a plain one. */
export function backgroundOf(styles: Styles): string | undefined {
  const { pieces } = splitOutside(styles.get('background') ?? '', ' ')
  return pieces.find(
    piece =>
      COLOR.test(piece) && !/^(none|transparent|repeat|scroll|initial|inherit|unset|center)$/i.test(piece),
  )
}

const COLOR = /^(#[0-9a-f]{3,8}|[a-z]+|(rgb|hsl)a?\([\d\s.,%/a-z]*\))$/i

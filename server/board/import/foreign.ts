import { get, make, type XmlElement } from '../parse.ts'
import type { Styles } from './cascade.ts'

type StylesOf = (element: XmlElement) => Styles | undefined

/** The box that words are set into, and how. */
interface Setting {
  x: number
  y: number
  width: number
  height: number
  align: string
  vertical: string
  wraps: boolean
  lineHeight: number
  font: Map<string, string>
}

interface Line {
  text: string
  setting: Setting
}

const DEFAULT_SIZE = 16
const MAX_LINES = 500
/** Of a letter's width to its height, as wide as those of most fonts are on average. */
const LETTER = 0.55
const BLOCKS = new Set(
  'address article body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)
const UNREAD = new Set(['script', 'style', 'head', 'title', 'template'])
const BOX = ['x', 'y', 'width', 'height']
const FONT = ['font-family', 'font-size', 'font-style', 'font-weight']

/** The words inside a `<foreignObject>`, set as `<text>` about where a browser sets them. */
export function setAsText(foreign: XmlElement, stylesOf: StylesOf): XmlElement | undefined {
  const lines = linesIn(foreign, stylesOf)
  const last = lines.findLastIndex(({ text }) => text.trim())
  if (last < 0) return undefined
  const blocks = blocksOf(lines.slice(0, last + 1))
  const texts = blocks.flatMap(block => setBlock(foreign, block))
  const group = make(foreign, 'g', {}, texts)
  group.id = foreign.id
  group.attributes = foreign.attributes.filter(({ name }) => !BOX.includes(name))
  return group
}

function linesIn(foreign: XmlElement, stylesOf: StylesOf): Line[] {
  const lines: Line[] = []
  let open: Line | undefined
  const endLine = () => {
    open = undefined
  }
  const add = (text: string, setting: Setting) => {
    if (!open && !text.trim()) return
    open ??= lines[lines.push({ text: '', setting }) - 1]!
    open.text += text.replace(/\s+/g, ' ')
  }
  const visit = (parent: XmlElement, setting: Setting) => {
    for (const child of parent.children) {
      if (lines.length > MAX_LINES) return
      if (typeof child === 'string') add(child, setting)
      else if (child.name === 'br') {
        if (!open) lines.push({ text: '', setting })
        endLine()
      } else if (!UNREAD.has(child.name) && stylesOf(child)?.get('display') !== 'none') {
        const block = BLOCKS.has(child.name)
        if (block) endLine()
        visit(child, settingOf(child, setting, stylesOf(child)))
        if (block) endLine()
      }
    }
  }
  visit(foreign, boxOf(foreign, stylesOf(foreign)))
  return lines
}

function boxOf(foreign: XmlElement, styles?: Styles): Setting {
  const length = (name: string) => pixels(styles?.get(name) ?? get(foreign, name)) ?? 0
  const setting: Setting = {
    x: length('x'),
    y: length('y'),
    width: length('width'),
    height: length('height'),
    align: 'start',
    vertical: 'start',
    wraps: true,
    lineHeight: 1.2,
    font: new Map([['font-size', String(DEFAULT_SIZE)]]),
  }
  return styles ? settingOf(foreign, setting, styles, false) : setting
}

function settingOf(element: XmlElement, outer: Setting, styles: Styles = new Map(), moves = true): Setting {
  const setting = { ...outer, font: new Map(outer.font) }
  if (moves) place(setting, styles)
  const justified = /center|end/.exec(styles.get('justify-content') ?? '')?.[0]
  setting.align = alignment(
    styles.get('text-align'),
    alignment(get(element, 'align'), justified ?? setting.align),
  )
  if (element.name === 'center') setting.align = 'center'
  setting.vertical = /center|end/.exec(styles.get('align-items') ?? '')?.[0] ?? setting.vertical
  const space = styles.get('white-space')
  if (space) setting.wraps = !/^(nowrap|pre)$/.test(space)
  const lineHeight = Number(/^[\d.]+$/.exec(styles.get('line-height') ?? '')?.[0])
  if (lineHeight > 0 && lineHeight < 10) setting.lineHeight = lineHeight
  readFont(setting, element, styles)
  return setting
}

function readFont(setting: Setting, element: XmlElement, styles: Styles): void {
  for (const name of FONT) {
    const value = styles.get(name)
    if (value && name !== 'font-size') setting.font.set(name, value)
  }
  const size = styles.get('font-size') ?? ''
  const outer = Number(setting.font.get('font-size'))
  const own = /^[\d.]+em$/.test(size) ? Number.parseFloat(size) * outer : pixels(size)
  if (own !== undefined) setting.font.set('font-size', String(own))
  if (element.name === 'b' || element.name === 'strong' || element.name === 'th')
    setting.font.set('font-weight', 'bold')
  if (element.name === 'i' || element.name === 'em') setting.font.set('font-style', 'italic')
  const color = styles.get('color') ?? (element.name === 'font' ? get(element, 'color') : undefined)
  if (color && /^[#a-z]/i.test(color)) setting.font.set('fill', color)
}

/** Offsets and sizes as draw.io writes them: a box is moved by its margin and padding. */
function place(setting: Setting, styles: Styles): void {
  const length = (name: string) => pixels(styles.get(name)) ?? 0
  const [left, top] = [
    length('margin-left') + length('padding-left'),
    length('margin-top') + length('padding-top'),
  ]
  setting.x += left
  setting.y += top
  setting.width = pixels(styles.get('width')) ?? Math.max(0, setting.width - left)
  setting.height = pixels(styles.get('height')) ?? Math.max(0, setting.height - top)
}

function alignment(said: string | undefined, otherwise: string): string {
  if (!said || said === 'inherit') return otherwise
  return /center|end/.exec(said.replace('right', 'end'))?.[0] ?? 'start'
}

function pixels(length: string | undefined): number | undefined {
  const [, number, unit] = /^\s*(-?[\d.]+)(px|pt)?\s*$/.exec(length ?? '') ?? []
  const value = Number(number) * (unit === 'pt' ? 4 / 3 : 1)
  return number !== undefined && Math.abs(value) < 1e6 ? value : undefined
}

/** Lines under each other that lie in one box. */
function blocksOf(lines: Line[]): Line[][] {
  const blocks: Line[][] = []
  for (const line of lines) {
    const last = blocks.at(-1)
    const { x, y, vertical } = line.setting
    const before = last?.[0]?.setting
    if (last && before && before.x === x && before.y === y && before.vertical === vertical) last.push(line)
    else blocks.push([line])
  }
  return blocks
}

function setBlock(foreign: XmlElement, block: Line[]): XmlElement[] {
  const lines = block.flatMap(wrapped)
  const heights = lines.map(({ setting }) => Number(setting.font.get('font-size')) * setting.lineHeight)
  const total = heights.reduce((sum, height) => sum + height, 0)
  const { y, height, vertical } = block[0]!.setting
  let top = y + (vertical === 'center' ? (height - total) / 2 : vertical === 'end' ? height - total : 0)
  return lines.flatMap(({ text, setting }, index) => {
    const size = Number(setting.font.get('font-size'))
    const baseline = top + heights[index]! / 2 + size * 0.35
    top += heights[index]!
    if (!text.trim()) return []
    const { x, width, align } = setting
    const at = align === 'center' ? x + width / 2 : align === 'end' ? x + width : x
    const anchor = align === 'center' ? 'middle' : align
    const attributes = {
      x: round(at),
      y: round(baseline),
      'text-anchor': anchor,
      stroke: 'none',
      fill: '#000',
      ...Object.fromEntries(setting.font),
    }
    return [make(foreign, 'text', attributes, [text.trim()])]
  })
}

const round = (value: number) => String(Math.round(value * 100) / 100)

/** Breaks a line where a browser would about break it. */
function wrapped(line: Line): Line[] {
  const { width, wraps, font } = line.setting
  const most = Math.floor(width / (Number(font.get('font-size')) * LETTER))
  if (!wraps || most < 4 || line.text.trim().length <= most) return [line]
  const lines: Line[] = []
  let text = ''
  for (const word of line.text.trim().split(' ')) {
    if (text && text.length + 1 + word.length > most) {
      lines.push({ ...line, text })
      text = word
    } else text = text ? `${text} ${word}` : word
  }
  return [...lines, { ...line, text }]
}

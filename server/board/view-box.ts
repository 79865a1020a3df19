/** CSS pixels in one of each unit. */
const UNITS = new Map([
  ['', 1],
  ['px', 1],
  ['pt', 4 / 3],
  ['pc', 16],
  ['in', 96],
  ['mm', 96 / 25.4],
  ['cm', 96 / 2.54],
  ['q', 96 / 101.6],
])

/** The drawing's coordinates: as it says itself, or as its width and height say. */
export function viewBoxOf(get: (name: string) => string | undefined): string | undefined {
  const said = get('viewBox')
  if (said !== undefined) {
    const numbers = said
      .trim()
      .split(/\s*,\s*|\s+/)
      .map(plainNumber)
    const [, , width = 0, height = 0] = numbers
    return numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0
      ? numbers.join(' ')
      : undefined
  }
  const [width, height] = [pixels(get('width')), pixels(get('height'))]
  return width && height ? `0 0 ${width} ${height}` : undefined
}

function pixels(length = ''): number | undefined {
  const [, number = '', unit = ''] = /^([\d.eE+-]+?)([a-zA-Z]{0,2})$/.exec(length.trim().slice(0, 40)) ?? []
  const value = plainNumber(number) * (UNITS.get(unit.toLowerCase()) ?? Number.NaN)
  return value > 0 && Number.isFinite(value) ? Math.round(value * 1000) / 1000 : undefined
}

function plainNumber(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}

import type { Spread } from './rounds.ts'

interface Row {
  figure: string
  value: number
  low?: number
  high?: number
  unit: 'ratio' | 's' | 'MB' | 'kB' | '/s'
  bar: string | undefined
}
/** What was said so far. */
export const rows: Row[] = []
export function say(figure: string, measured: number | Spread, unit: Row['unit'], bar?: string) {
  const row = { figure, ...(typeof measured === 'number' ? { value: measured } : measured), unit, bar }
  rows.push(row)
  const beside = [between(row), bar && `(${bar})`].filter(Boolean).join('  ')
  console.error(`${figure.padEnd(72)} ${shown(row.value, unit).padStart(10)} ${unit}  ${beside}`)
}

const shown = (value: number, unit: Row['unit']) => value.toFixed(unit === '/s' || unit === 'MB' ? 0 : 2)
const between = ({ low, high, unit }: Row) =>
  low === undefined || high === undefined ? '' : `${shown(low, unit)} to ${shown(high, unit)}`

/** As a table of a document. */
export function written(): string {
  const line = (row: Row) =>
    `| ${row.figure} | ${shown(row.value, row.unit)} | ${row.unit} | ${between(row)} | ${row.bar ?? ''} |`
  const head = ['| figure | value | unit | lowest to highest | bar |', '|---|---|---|---|---|']
  return [...head, ...rows.map(line), ''].join('\n')
}

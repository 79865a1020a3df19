import { expect, test } from 'bun:test'
import { createLog } from '../server/log.ts'

const HOSTILE = '\u001b[31m\u009b2J\u007f\u202e\u2028\r\n{"level":"error"}'

test('what others said steers no terminal and begins no line of its own, in either format', () => {
  for (const format of ['json', 'pretty'] as const) {
    const lines: string[] = []
    createLog({ level: 'info', format }, line => void lines.push(line)).info('said', { reason: HOSTILE })
    const [line = ''] = lines
    expect([format, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u.test(line.slice(0, -1))]).toEqual([format, false])
    if (format === 'json') expect(JSON.parse(line).reason).toBe(HOSTILE)
  }
})

test('colours are written only where they are asked for, and end with the line', () => {
  const said = (colours?: boolean) => {
    const lines: string[] = []
    const log = createLog({ level: 'info', format: 'pretty', colours }, line => void lines.push(line))
    log.warn('careful', { at: 1 })
    return lines.join('')
  }
  expect(said()).toMatch(/^\S+ warn {2}careful at=1\n$/)
  expect(said(true)).toStartWith('\u001b[33m')
  expect(said(true)).toEndWith('careful at=1\u001b[0m\n')
})

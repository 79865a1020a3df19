import { expect, test } from 'bun:test'
import { createLog } from '../server/log.ts'

const HOSTILE = '\u001b[31m\u009b2J\u007f\u202e\u2028\r\n{"level":"error"}'

test('what others said steers no terminal and begins no line of its own, in either format', () => {
  for (const format of ['json', 'pretty'] as const) {
    const lines: string[] = []
    createLog({ level: 'info', format }, line => void lines.push(line)).info('said', { reason: HOSTILE })
    const [line = ''] = lines
    const bare = line.replace('\u001b[0m', '').slice(0, -1)
    expect([format, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u.test(bare)]).toEqual([format, false])
    if (format === 'json') expect(JSON.parse(line).reason).toBe(HOSTILE)
  }
})

import '../page.ts'
import { expect, test } from 'bun:test'
import type { Entry } from '../../../web/src/lib/api.ts'
import type { Narrowed } from '../../../web/src/lib/narrowing.ts'
import { Similar } from '../../../web/src/report/similar.svelte.ts'
import { until } from '../../support/until.ts'

const entry = (verbatim: string) => ({ id: verbatim, verbatim }) as Entry

/** A server that has some reports, and answers when it is let to. */
function server(reports: string[]) {
  const asked: Narrowed[] = []
  const waiting: (() => void)[] = []
  const latest = async (narrowed: Narrowed) => {
    asked.push(narrowed)
    await new Promise<void>(answer => waiting.push(answer))
    const words = (narrowed.q ?? '').toLowerCase().split(/\s+/)
    return reports.filter(said => words.every(word => said.toLowerCase().includes(word))).map(entry)
  }
  const answer = async () => {
    await until(() => waiting.length > 0, 'the server is asked')
    waiting.shift()!()
    await Promise.resolve()
  }
  return { asked, latest, answer }
}

test('the latest of the section and the project are shown at once', async () => {
  const { asked, latest, answer } = server(['The shield is loose', 'Gets hot'])
  const similar = new Similar(latest)
  similar.begin({ section: 'cpu', project: 'p' })
  await answer()
  await until(() => similar.entries?.length === 2, 'both are shown')
  expect(asked).toEqual([{ section: 'cpu', project: 'p', q: undefined }])
})

test('a sentence is looked for by all its words, then by the longest, then not at all', async () => {
  const { asked, latest, answer } = server(['The shield is loose', 'Gets hot'])
  const similar = new Similar(latest)
  similar.begin({ section: 'cpu', q: 'this pins feels loose' })
  for (let i = 0; i < 4; i++) await answer()
  await until(() => similar.entries?.length === 2, 'the latest are shown')
  expect(asked.map(({ q }) => q)).toEqual(['this pins feels loose', 'feels loose', 'feels', undefined])
})

test('an answer to what was typed before is worth nothing, and a server that is away changes nothing', async () => {
  const { latest, answer } = server(['The shield is loose', 'Gets hot'])
  let away = false
  let refused = 0
  const similar = new Similar(async narrowed => {
    if (away) {
      refused++
      throw new Error('away')
    }
    return latest(narrowed)
  })
  similar.begin({ section: 'cpu', q: 'shield' })
  similar.look({ section: 'cpu', q: 'hot' }, 0)
  await answer()
  await until(() => similar.entries !== undefined, 'something is shown')
  expect(similar.entries?.map(({ verbatim }) => verbatim)).toEqual(['Gets hot'])
  away = true
  similar.look({ section: 'cpu', q: 'loose' }, 0)
  await until(() => refused > 0, 'it is asked in vain')
  expect(similar.entries?.map(({ verbatim }) => verbatim)).toEqual(['Gets hot'])
  similar.stop()
  expect(similar.entries).toBeUndefined()
})

import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { Trends } from '../../../web/src/insight/trends.svelte.ts'
import { newPage, serve } from '../page.ts'

let asked: string[]
beforeEach(() => {
  newPage()
  asked = []
  serve(path => {
    asked.push(path)
    const days = Number(/days=(\d+)d/.exec(path)?.[1])
    return {
      json: { from: '2026-11-01', days, sections: { usb: Array.from({ length: days }, (_, day) => day) } },
    }
  })
})

test('one question tells the span and the one before', async () => {
  const trends = new Trends()
  await trends.load({ days: 7 })
  expect(asked).toEqual(['/api/defects/trends?days=14d'])
  expect(trends.of('usb')).toMatchObject({ change: 49 })
  expect(trends.of('usb')?.points.map(({ count }) => count)).toEqual([7, 8, 9, 10, 11, 12, 13])
  expect(trends.of('usb')?.points[0]?.from).toBe('2026-11-08')
})

test('a section that the server does not tell had nothing', async () => {
  const trends = new Trends()
  await trends.load({ days: 7 })
  expect(trends.of('new')).toMatchObject({ change: 0 })
})

test('all time is the last year by weeks, with nothing to compare it with', async () => {
  const trends = new Trends()
  await trends.load({ days: 0 })
  expect(asked).toEqual(['/api/defects/trends?days=366d'])
  expect(trends.of('usb')).toMatchObject({ change: undefined })
  expect(trends.of('usb')?.points).toHaveLength(52)
})

test('without an answer there are no trends', async () => {
  const trends = new Trends()
  await trends.load({ days: 7 })
  serve(() => undefined)
  await trends.load({ days: 30 })
  expect(trends.of('usb')).toBeUndefined()
})

export { compact, range, type Step, stepOf, steps } from '../../../server/steps.ts'

export const defects = (count: number) => many(count, 'defect')
export const reports = (count: number) => many(count, 'report')

function many(count: number, noun: string): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? noun : `${noun}s`}`
}

export { compact, range, type Step, stepOf, steps } from '../../../server/steps.ts'

export function defects(count: number): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? 'defect' : 'defects'}`
}

import { DatabaseUnavailable } from '../errors.ts'

/** The work's result, or `DatabaseUnavailable` after `ms`. What comes later is ignored. */
export function within<T>(ms: number, work: PromiseLike<T>, onLate: () => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate()
      reject(new DatabaseUnavailable(`no answer within ${ms} ms`))
    }, ms)
    work.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

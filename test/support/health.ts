import { until } from './until.ts'

export const isHealthy = async (origin: string, unix?: string) =>
  (await fetch(`${origin}/api/health`, { unix }).catch(() => undefined))?.status === 200

/** The server looks after its database for a second only: on a busy machine it is asked again. */
export const healthy = (origin: string) => until(() => isHealthy(origin), `${origin} is healthy`)

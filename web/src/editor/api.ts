import type { Beginning, Judged, Marking, Saved } from '../../../server/editor/edited-board.ts'

/** The command that shows this page no longer answers. */
export class Ended extends Error {}

async function ask(path: string, body?: unknown): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await fetch(path, body === undefined ? {} : init)
  } catch {
    throw new Ended()
  }
}

export async function begin(): Promise<Beginning> {
  const response = await ask('/drawing')
  if (!response.ok) throw new Ended()
  return response.json()
}

export async function check(marking: Marking): Promise<Judged> {
  const response = await ask('/check', { marking })
  return response.ok || response.status === 422
    ? { warnings: [], ...(await response.json()) }
    : { faults: [], warnings: [] }
}

export type SaveResult = { saved: Saved } | { exists: true } | { faults: string[] }

/** `replace`: the person has agreed that another file is replaced. */
export async function save(marking: Marking, replace: boolean): Promise<SaveResult> {
  const response = await ask('/save', { marking, replace })
  if (response.ok) return { saved: await response.json() }
  if ([409, 422, 500].includes(response.status)) return response.json()
  return { faults: ['It could not be saved.'] }
}

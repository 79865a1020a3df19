import { PROJECT_NAME_LIMIT, VERBATIM_LIMIT } from '../../../server/vocabulary.ts'
import type { ReportBody } from '../lib/api.ts'

/**
 * `typing`: still being written. `waiting`: Send was pressed, no receipt yet. `interrupted`: the session
 * ended meanwhile, so it is shown again as soon as the same person is back.
 */
export type DraftState = 'typing' | 'waiting' | 'interrupted'

/** A report that is not stored yet: its body, with the project by name until it is sent. */
export interface Draft {
  /** the Idempotency-Key: the same until the receipt */
  key: string
  state: DraftState
  project: string
  body: Omit<ReportBody, 'project_id'>
}

/** What is wrong, in words for the person, by field; `form`: with all of it. */
export type Faults = Partial<Record<'project' | 'form' | keyof Draft['body'], string>>

export function newDraft(section_id: string, project: string): Draft {
  return { key: crypto.randomUUID(), state: 'typing', project, body: { section_id, verbatim: '' } }
}

export const isEmpty = ({ body }: Draft) => body.verbatim.trim() === ''
export const tidy = (name: string) => name.trim().normalize('NFC')

/** How many characters the text may still grow by. */
export const roomLeft = ({ body }: Draft) => VERBATIM_LIMIT - [...body.verbatim.trim()].length

export function faultsOf(draft: Draft): Faults {
  const faults: Faults = {}
  const name = tidy(draft.project)
  if (!name) faults.project = 'Choose a project, or type a name to create one.'
  else if ([...name].length > PROJECT_NAME_LIMIT)
    faults.project = `A project’s name has at most ${PROJECT_NAME_LIMIT} characters.`
  const left = roomLeft(draft)
  if (isEmpty(draft)) faults.verbatim = 'Say what is wrong, in a sentence.'
  else if (left < 0)
    faults.verbatim = `This is ${left === -1 ? 'one character' : `${-left} characters`} too long.`
  return faults
}

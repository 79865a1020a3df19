/** Every public error, once: status, title and wording cannot drift apart. */
export const catalogue = {
  malformed_request: [400, 'Bad request', 'The request could not be understood.'],
  malformed_json: [400, 'Bad request', 'The body is not valid JSON in UTF-8.'],
  unauthenticated: [401, 'Sign-in needed', 'Sign in to use this.'],
  cross_origin: [403, 'Refused', 'This request came from another site.'],
  owner_only: [403, 'Refused', 'Only the owner may do this.'],
  not_found: [404, 'Not found', 'There is nothing here.'],
  method_not_allowed: [405, 'Method not allowed', 'This address does not take that method.'],
  push_off: [409, 'Push is off', 'This server has no VAPID keys, so it cannot send push messages.'],
  body_too_large: [413, 'Too large', 'The body is larger than 64 KiB.'],
  unsupported_media_type: [415, 'Unsupported media type', 'Send the body as application/json.'],
  invalid_body: [422, 'Not accepted', 'Some fields need mending.'],
  invalid_query: [422, 'Not accepted', 'Some query parameters need mending.'],
  invalid_header: [422, 'Not accepted', 'A header needs mending.'],
  unknown_project: [422, 'Not accepted', 'There is no such project.'],
  idempotency_key_reused: [
    422,
    'Not accepted',
    'This Idempotency-Key was already used for a different report.',
  ],
  internal: [500, 'Something went wrong', 'The fault is ours. It was logged under this request id.'],
  overloaded: [503, 'Not available', 'Too many reports wait to be stored. Try again shortly.'],
  project_busy: [503, 'Not available', 'This project is being changed right now. Try again shortly.'],
  downloads_busy: [503, 'Not available', 'Two downloads are under way. Try again once one has ended.'],
  database_unavailable: [
    503,
    'Not available',
    'The database cannot be reached right now. Try again shortly.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, detail: string]>

export type ErrorCode = keyof typeof catalogue
export interface FieldFault {
  field: string
  message: string
}

/** A refusal that the outside may see. Services throw it; only the mapper turns it into a response. */
export class Refusal extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly faults: FieldFault[] = [],
  ) {
    super(catalogue[code][2])
  }
}

/** The database is out of reach, over its deadline, or answered what cannot be trusted. */
export class DatabaseUnavailable extends Error {}

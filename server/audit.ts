/** Every event of the audit trail, in words. docs/operations/audit.md says what each record tells besides. */
export const events = {
  signed_in: 'signed in',
  sign_in_refused: 'sign-in refused',
  signed_out: 'signed out',
  device_added: 'a device is sent push messages from now on',
  device_renewed: 'a device brought its keys anew',
  device_displaced: 'a device gave way to a newer one',
  device_removed: 'a device is sent no more push messages',
  sessions_ended: 'sessions were ended',
  project_renamed: 'a project was renamed',
  project_merged: 'a project went into another one',
  counters_rebuilt: 'the counters were built anew',
  restored: 'a backup was restored',
} as const

export type AuditEvent = keyof typeof events

export interface AuditFields {
  /** who did it: an e-mail address, or `cli:uid=` and a number */
  actor?: string
  reason?: string
  request_id?: string
  [particular: string]: unknown
}

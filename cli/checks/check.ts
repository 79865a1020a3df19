export interface Check {
  name:
    | 'settings'
    | 'machine'
    | 'database'
    | 'schema'
    | 'board'
    | 'sign-in'
    | 'clock'
    | 'push keys'
    | 'push services'
    | 'proxy'
  status: 'ok' | 'warning' | 'fault' | 'skipped'
  said: string
  mend?: string
}

const withStatus =
  (status: Check['status']) =>
  (name: Check['name'], said: string, mend?: string): Check => ({
    name,
    status,
    said,
    mend,
  })
export const ok = withStatus('ok')
export const warning = withStatus('warning')
export const skipped = withStatus('skipped')
export const fault: (name: Check['name'], said: string, mend: string) => Check = withStatus('fault')

export const NEEDS_SETTINGS = 'its settings need mending first'
/** For every call out to the network. */
export const DEADLINE_MS = 5_000

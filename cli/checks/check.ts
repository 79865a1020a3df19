export interface Check {
  name: 'settings' | 'database' | 'schema' | 'board' | 'sign-in' | 'push keys' | 'push services'
  status: 'ok' | 'warning' | 'fault' | 'skipped'
  said: string
  mend?: string
}

export const ok = (name: Check['name'], said: string): Check => ({ name, status: 'ok', said })
export const warning = (name: Check['name'], said: string): Check => ({ name, status: 'warning', said })
export const fault = (name: Check['name'], said: string, mend: string): Check => ({
  name,
  status: 'fault',
  said,
  mend,
})
export const skipped = (name: Check['name'], said: string): Check => ({ name, status: 'skipped', said })

export const UNMENDED = 'its settings need mending first'
/** For every call out to the network. */
export const DEADLINE_MS = 5_000

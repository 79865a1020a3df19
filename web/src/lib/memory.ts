const PREFIX = 'faultline.'

/** What this browser remembers. Storage may be full or forbidden; then it forgets, and nothing breaks. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, value)
    return true
  } catch {
    return false
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name)
  } catch {}
}

/** Hears what another tab remembers (or forgets: `null`) under this name. */
export function onChangedElsewhere(name: string, handler: (value: string | null) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => key === PREFIX + name && handler(newValue))
}

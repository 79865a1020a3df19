/** What this browser remembers. Storage may be full or forbidden; then it forgets, and nothing breaks. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`faultline.${name}`)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): boolean {
  try {
    localStorage.setItem(`faultline.${name}`, value)
    return true
  } catch {
    return false
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(`faultline.${name}`)
  } catch {}
}

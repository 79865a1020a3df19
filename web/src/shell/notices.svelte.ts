const SHOWN_MS = 8_000

export interface Notice {
  text: string
  tone: 'good' | 'plain' | 'bad'
}

/** What is said at the foot of the page for a while, aloud too. */
export class Notices {
  current = $state.raw<Notice>()
  private timer: ReturnType<typeof setTimeout> | undefined

  say(text: string, tone: Notice['tone'] = 'plain'): void {
    clearTimeout(this.timer)
    this.current = { text, tone }
    this.timer = setTimeout(() => this.dismiss(), SHOWN_MS)
  }

  dismiss(): void {
    clearTimeout(this.timer)
    this.current = undefined
  }
}

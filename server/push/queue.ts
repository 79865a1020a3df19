/** What a push says about a defect. */
export interface FiledDefect {
  id: string
  sectionId: string
  projectName: string
  verbatim: string
}

export interface PushQueue {
  /** Into the queue; never waits, never throws. */
  later(defect: FiledDefect): void
  /** Sends what is pending, for at most `ms`. */
  drain(ms: number): Promise<void>
}

export type Command = 'find' | 'keys' | 'report' | 'board' | 'feed' | 'history' | 'newer' | 'older'

/** Every key of the page: what is pressed, what follows, in the words of the help. */
export const keys: readonly { press: string; command: Command; does: string }[] = [
  { press: '/', command: 'find', does: 'Find a section, a project or an action' },
  { press: 'Ctrl k', command: 'find', does: 'The same' },
  { press: 'n', command: 'report', does: 'Report a defect on the section in focus' },
  { press: 'g h', command: 'history', does: 'Go to the history of the section in focus' },
  { press: 'g b', command: 'board', does: 'Go to the board' },
  { press: 'g f', command: 'feed', does: 'Go to the feed' },
  { press: 'ArrowDown', command: 'older', does: 'In the feed: the next older report' },
  { press: 'ArrowUp', command: 'newer', does: 'In the feed: the next newer report' },
  { press: '?', command: 'keys', does: 'This list' },
]

/** Those that the map hears itself while the focus is on it. */
export const mapKeys = [
  { press: '+', does: 'On the map: zoom in' },
  { press: '-', does: 'On the map: zoom out' },
  { press: '0', does: 'On the map: the whole board' },
]

const TOGETHER_MS = 1_500

type Press = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'repeat' | 'timeStamp'
>

/** Reads keys one by one; of two that belong together the second follows soon. */
export class KeyReader {
  private begun: { key: string; at: number } | undefined

  read({ key, ctrlKey, metaKey, altKey, isComposing, repeat, timeStamp }: Press): Command | undefined {
    const { begun } = this
    this.begun = undefined
    if (isComposing || altKey) return undefined
    if (ctrlKey || metaKey) return commandOf(`Ctrl ${key.toLowerCase()}`)
    if (repeat && !key.startsWith('Arrow')) return undefined
    const together = begun && timeStamp - begun.at <= TOGETHER_MS ? `${begun.key} ${key}` : key
    if (keys.some(({ press }) => press.startsWith(`${key} `))) this.begun = { key, at: timeStamp }
    return commandOf(together)
  }
}

function commandOf(pressed: string): Command | undefined {
  return keys.find(({ press }) => press === pressed)?.command
}

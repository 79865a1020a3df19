const MOST = 8
const STEP = 1.5
/** so far a hand may tremble in a click */
const STILL = 4

interface Point {
  x: number
  y: number
}

export interface Zoom {
  closer(): void
  farther(): void
  fit(): void
  /** takes its listeners away */
  end(): void
}

/**
 * Lets people look closer at what a frame holds. Its content grows and the frame scrolls, so that places, sizes,
 * focus and touch stay the browser's own work.
 */
export function zoomable(frame: HTMLElement): Zoom {
  let factor = 1
  const listening = new AbortController()
  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    heard: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => frame.addEventListener(name, heard, { passive: false, ...options, signal: listening.signal })

  /** What lies at that point of the window stays there. */
  function to(wanted: number, at = middleOf(frame)): void {
    const next = Math.min(MOST, Math.max(1, wanted))
    const { left, top } = frame.getBoundingClientRect()
    const [x, y] = [at.x - left, at.y - top]
    const [across, down] = [frame.scrollLeft + x, frame.scrollTop + y]
    const by = next / factor
    factor = next
    frame.classList.toggle('zoomed', next > 1)
    frame.style.setProperty('--zoom', String(next))
    frame.scrollTo({ left: across * by - x, top: down * by - y, behavior: 'instant' })
  }

  on('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const turned = event.deltaMode ? event.deltaY * 16 : event.deltaY
    to(factor * Math.exp(-Math.min(25, Math.max(-25, turned)) / 100), { x: event.clientX, y: event.clientY })
  })
  on('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const wanted = { '+': factor * STEP, '-': factor / STEP, '0': 1 }[event.key]
    if (wanted) to(wanted)
  })

  let spread = 0
  on('touchstart', () => {
    spread = 0
  })
  on('touchmove', event => {
    if (event.touches.length !== 2) return
    // One that has begun to scroll the page cannot be taken back.
    if (!event.cancelable) return
    event.preventDefault()
    const { distance, middle } = between(event.touches)
    if (spread) to((factor * distance) / spread, middle)
    spread = distance
  })

  let held: Point | undefined
  let dragged = false
  on('pointerdown', event => {
    dragged = false
    held = event.pointerType === 'mouse' && event.button === 0 && factor > 1 ? point(event) : undefined
  })
  on('pointermove', event => {
    if (!held || !event.buttons) return
    const [x, y] = [event.clientX - held.x, event.clientY - held.y]
    if (!dragged && Math.hypot(x, y) < STILL) return
    if (!dragged) frame.setPointerCapture(event.pointerId)
    dragged = true
    held = point(event)
    frame.scrollBy({ left: -x, top: -y, behavior: 'instant' })
  })
  on(
    'click',
    event => {
      if (dragged) event.stopPropagation()
      dragged = false
    },
    { capture: true },
  )

  return {
    closer: () => to(factor * STEP),
    farther: () => to(factor / STEP),
    fit: () => to(1),
    end: () => listening.abort(),
  }
}

const point = ({ clientX, clientY }: MouseEvent | Touch): Point => ({ x: clientX, y: clientY })

function middleOf(frame: HTMLElement): Point {
  const { left, top, width, height } = frame.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

function between(touches: TouchList): { distance: number; middle: Point } {
  const [a, b] = [point(touches[0]!), point(touches[1]!)]
  return {
    distance: Math.hypot(a.x - b.x, a.y - b.y),
    middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
  }
}

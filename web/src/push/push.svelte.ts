import { subscribe, unsubscribe } from '../lib/api.ts'
import { Fault } from '../lib/fault.ts'

export type PushState =
  | 'unsupported'
  | 'install'
  | 'server-off'
  | 'denied'
  | 'off'
  | 'on'
  | 'working'
  | 'failing'

/** Push to this device, for the owner. The state is what is so, not what was wished. */
export class Push {
  state = $state<PushState>('working')
  reason = $state('')
  private busy = false

  constructor(private readonly publicKey: string | undefined) {}

  /** What is so now; a subscription made for another key is made anew. */
  async refresh(): Promise<void> {
    const state = this.obstacle()
    if (this.busy) return
    if (state) {
      this.state = state
      return
    }
    await this.attempt(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/')
      const found = await registration?.pushManager.getSubscription()
      if (!registration || !found) return 'off'
      await register(await this.current(registration, found))
      return 'on'
    })
  }

  async toggle(): Promise<void> {
    if (this.state === 'on') await this.turnOff()
    else if (this.state === 'off' || this.state === 'failing') await this.turnOn()
  }

  private async turnOn(): Promise<void> {
    this.state = 'working'
    await this.attempt(async () => {
      const permission = await Notification.requestPermission()
      if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off'
      await navigator.serviceWorker.register('/sw.js')
      const registration = await inTime(navigator.serviceWorker.ready)
      const found = await registration.pushManager.getSubscription()
      await register(found ? await this.current(registration, found) : await this.subscribe(registration))
      return 'on'
    })
  }

  private async turnOff(): Promise<void> {
    this.state = 'working'
    await this.attempt(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/')
      const found = await registration?.pushManager.getSubscription()
      if (found) {
        await unsubscribe(found.endpoint)
        await found.unsubscribe()
      }
      return 'off'
    })
  }

  private obstacle(): PushState | undefined {
    if (!this.publicKey) return 'server-off'
    const supported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
    if (!supported) return isUninstalledOnIos() ? 'install' : 'unsupported'
    return Notification.permission === 'denied' ? 'denied' : undefined
  }

  private async current(
    registration: ServiceWorkerRegistration,
    found: PushSubscription,
  ): Promise<PushSubscription> {
    if (encoded(found.options.applicationServerKey) === this.publicKey) return found
    await found.unsubscribe()
    return this.subscribe(registration)
  }

  private subscribe(registration: ServiceWorkerRegistration): Promise<PushSubscription> {
    return registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: this.publicKey ?? null,
    })
  }

  private async attempt(task: () => Promise<PushState>): Promise<void> {
    this.busy = true
    try {
      this.state = await task()
      this.reason = ''
    } catch (error) {
      this.state = 'failing'
      this.reason = error instanceof Fault ? sayFault(error) : sayBrowserFault(error)
    } finally {
      this.busy = false
    }
  }
}

const READY_WITHIN_MS = 10_000
function inTime<T>(pending: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('its service worker did not start')), READY_WITHIN_MS)
  })
  return Promise.race([pending, late])
}

const register = (subscription: PushSubscription) => subscribe(subscription.toJSON())

function isUninstalledOnIos(): boolean {
  return 'standalone' in navigator && navigator.standalone === false
}

function encoded(key: ArrayBuffer | null): string {
  const bytes = String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0)))
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function sayFault({ message, fields }: Fault): string {
  const [fault] = Object.values(fields)
  return fault ? `${message} The address ${fault}.` : message
}

function sayBrowserFault(error: unknown): string {
  return `The browser could not subscribe: ${error instanceof Error ? error.message : String(error)}`
}

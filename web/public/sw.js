// Only push: pages and the API are never intercepted and never cached.

const isSection = value => typeof value === 'string' && /^[a-z0-9-]{1,40}$/.test(value)
const isDefect = value => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value)
const ALERT_AGAIN_MS = 60_000

let lastShown = Promise.resolve()

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))

self.addEventListener('push', event => {
  const message = read(event.data)
  // One after the other: two at once would both count from the same notification.
  lastShown = lastShown.catch(() => {}).then(() => show(message))
  event.waitUntil(lastShown)
})

self.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(open(pathOf(event.notification.data)))
})

self.addEventListener('pushsubscriptionchange', event => event.waitUntil(subscribeAgain(event)))

function read(data) {
  let message
  try {
    message = data?.json()
  } catch {}
  const text = value => (typeof value === 'string' ? value : '')
  return {
    title: text(message?.title),
    body: text(message?.body),
    section: isSection(message?.section_id) ? message.section_id : '',
    defect: isDefect(message?.defect_id) ? message.defect_id : '',
  }
}

/** One notification a section: the last word, and how many there were. */
async function show({ title, body, section, defect }) {
  const tag = section || 'faultline'
  const [earlier] = await self.registration.getNotifications({ tag })
  const count = (earlier?.data?.count ?? 0) + 1
  const alerted = earlier?.data?.alerted ?? 0
  const alert = Date.now() - alerted > ALERT_AGAIN_MS
  const place = title.split(' · ').at(-1) || section
  const several = section ? `${count} new on ${place}` : title || `${count} new defects`
  await self.registration.showNotification(count > 1 ? several : title || 'New defect', {
    body: body || 'Open Faultline to read it.',
    tag,
    renotify: alert,
    icon: '/icons/icon-192.png',
    data: { section, defect, count, alerted: alert ? Date.now() : alerted },
  })
}

/** To the report; where there were several, to the history of their section. */
function pathOf(data) {
  if (data?.count === 1 && isDefect(data.defect)) return `/defects/${data.defect}`
  return isSection(data?.section) ? `/sections/${data.section}` : '/'
}

async function open(path) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find(window => new URL(window.url).pathname === path)
  const nearest = there ?? windows.find(window => window.focused) ?? windows[0]
  if (!nearest) return self.clients.openWindow(path)
  try {
    const focused = await nearest.focus()
    if (!there) await focused.navigate(path)
  } catch {
    // Not a window of this worker's: it can be shown, not led elsewhere.
    await self.clients.openWindow(path)
  }
}

/** The browser has replaced or dropped the subscription: the server learns of the new one. */
async function subscribeAgain({ oldSubscription, newSubscription }) {
  const subscription = newSubscription ?? (await subscribe())
  if (!subscription) return
  await send('POST', subscription.toJSON())
  if (oldSubscription && oldSubscription.endpoint !== subscription.endpoint) {
    await send('DELETE', { endpoint: oldSubscription.endpoint })
  }
}

async function subscribe() {
  const response = await fetch('/api/session', { cache: 'no-store' })
  const { push } = await response.json()
  if (!push) return undefined
  return self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: push.public_key,
  })
}

function send(method, body) {
  return fetch('/api/subscriptions', {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

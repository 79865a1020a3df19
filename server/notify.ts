import { dlopen } from 'bun:ffi'
import type { Log } from './log.ts'

/** What the service manager is told, by sd_notify's words; nothing where none listens. */
export interface ServiceManager {
  status(text: string): void
  ready(status: string): void
  reloading(): void
  stopping(status: string): void
}

const AF_UNIX = 1
const SOCK_DGRAM_CLOEXEC = 0o2_000_002
/** No signal, and no waiting: a manager that reads no more must not hold up the server. */
const AT_ONCE = 0x4000 | 0x40
const CLOCK_MONOTONIC = 1
const PATH_OFFSET = 2

export function createServiceManager(env: Record<string, string | undefined>, log: Log): ServiceManager {
  const send = openSender(env.NOTIFY_SOCKET, log)
  if (!send) return { status() {}, ready() {}, reloading() {}, stopping() {} }
  return {
    status: text => send.lines(`STATUS=${text}`),
    ready(status) {
      send.lines('READY=1', `STATUS=${status}`)
      keepAlive(env, () => send.lines('WATCHDOG=1'))
    },
    reloading: () => send.lines('RELOADING=1', `MONOTONIC_USEC=${send.monotonicMicroseconds()}`),
    stopping: status => send.lines('STOPPING=1', `STATUS=${status}`),
  }
}

let beating = false
/** Twice in the time after which the service manager takes a silent process for hung. */
function keepAlive(env: Record<string, string | undefined>, beat: () => void): void {
  const microseconds = Number(env.WATCHDOG_USEC)
  const isOurs = !env.WATCHDOG_PID || Number(env.WATCHDOG_PID) === process.pid
  if (beating || !(microseconds > 0) || !isOurs) return
  beating = true
  setInterval(beat, microseconds / 2_000).unref()
}

/** Bun knows no datagrams on unix sockets, so libc sends them: glibc, and musl, which answers to that name. */
function openSender(path: string | undefined, log: Log) {
  const address = path && addressOf(path)
  if (!address) return undefined
  try {
    const { symbols: libc } = dlopen('libc.so.6', {
      socket: { args: ['int', 'int', 'int'], returns: 'int' },
      sendto: { args: ['int', 'ptr', 'u64', 'int', 'ptr', 'u32'], returns: 'i64' },
      clock_gettime: { args: ['int', 'ptr'], returns: 'int' },
    })
    const socket = libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0)
    return {
      lines(...lines: string[]) {
        const message = Buffer.from(lines.join('\n'))
        const sent = libc.sendto(socket, message, message.length, AT_ONCE, address, address.length)
        if (Number(sent) < 0) log.warn('the service manager could not be told', { lines })
      },
      monotonicMicroseconds() {
        const time = new BigInt64Array(2)
        libc.clock_gettime(CLOCK_MONOTONIC, time)
        return time[0]! * 1_000_000n + time[1]! / 1_000n
      },
    }
  } catch (error) {
    log.warn('the service manager cannot be told', { error: (error as Error).message })
    return undefined
  }
}

/** A sockaddr_un. An `@` in front stands for the 0 of an abstract name, which has no 0 at its end. */
function addressOf(path: string): Buffer | undefined {
  if (!/^[/@]/.test(path)) return undefined
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`)
  const address = Buffer.alloc(PATH_OFFSET + name.length)
  new Uint16Array(address.buffer, address.byteOffset, 1)[0] = AF_UNIX
  name.copy(address, PATH_OFFSET)
  return address
}

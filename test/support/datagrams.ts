import { dlopen } from 'bun:ffi'
import { rmSync } from 'node:fs'
import { until } from './until.ts'

/** What a service manager listens with: datagrams on a unix socket, which Bun does not know. */
const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['int', 'int', 'int'], returns: 'int' },
  bind: { args: ['int', 'ptr', 'u32'], returns: 'int' },
  recv: { args: ['int', 'ptr', 'u64', 'int'], returns: 'i64' },
  close: { args: ['int'], returns: 'int' },
  clock_gettime: { args: ['int', 'ptr'], returns: 'int' },
})
const [AF_UNIX, SOCK_DGRAM, MSG_DONTWAIT] = [1, 2, 0x40]

/** By the clock that service managers compare with; the runtime's own begins with the process. */
export function monotonicMicroseconds(): number {
  const time = new BigInt64Array(2)
  libc.clock_gettime(1, time)
  return Number(time[0]! * 1_000_000n + time[1]! / 1_000n)
}

/** Listens on a path, or with `@` in front on a name that is no file. */
export function receiver(path: string) {
  const isName = path.startsWith('@')
  const address = Buffer.concat([
    new Uint8Array(new Uint16Array([AF_UNIX]).buffer),
    Buffer.from(isName ? path.replace('@', '\0') : `${path}\0`),
  ])
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM, 0)
  if (libc.bind(socket, address, address.length) !== 0) throw new Error(`cannot listen at ${path}`)
  const buffer = Buffer.alloc(4096)
  const received: string[] = []
  const take = () => {
    for (;;) {
      const length = Number(libc.recv(socket, buffer, buffer.length, MSG_DONTWAIT))
      if (length < 0) return received
      received.push(buffer.toString('utf8', 0, length))
    }
  }
  return {
    path,
    /** all that came so far */
    take,
    hears: (what: RegExp) =>
      until(
        () => take().some(message => what.test(message)),
        () => `${what} is told: ${JSON.stringify(received)}`,
      ),
    close() {
      libc.close(socket)
      if (!isName) rmSync(path, { force: true })
    },
  }
}

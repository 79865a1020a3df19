import { createServer } from 'node:net'

/** This port or the next one that nobody listens on, on either loopback address. */
export async function freePort(first: number, tries = 100): Promise<number> {
  for (let port = first; port < Math.min(first + tries, 65_536); port++) {
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
  }
  throw new Error(`no port from ${first} on is free; set PORT to another one`)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    // A machine without IPv6 has nobody listening there.
    probe.once('error', error => resolve(!/EADDRINUSE|EACCES/.test((error as { code?: string }).code ?? '')))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

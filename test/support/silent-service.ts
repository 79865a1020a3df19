import { createServer, type Socket } from 'node:net'

export interface SilentService {
  port: number
  host: string
  connections: number
  openNow: number
  stop(): void
}

/** Takes connections and says nothing (to https it never answers the TLS greeting), or only `greeting`. */
export async function silentService(greeting = ''): Promise<SilentService> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    service.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => greeting && socket.write(greeting))
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const service = {
    port,
    host: `127.0.0.1:${port}`,
    connections: 0,
    get openNow() {
      return sockets.size
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return service
}

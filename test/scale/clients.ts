import { Agent, request } from 'node:http'

export interface Load {
  asked(): number
  /** Ends it; what did not succeed, each with its reason. */
  stop(): Promise<string[]>
}

const KINDS = 4

/** Reads and reports by several clients at once: half of them keep their connection, half open one each time. */
export function mixedLoad(origin: string, cookie: string, projectId: string, clients = 8): Load {
  let going = true
  let asked = 0
  const failed: string[] = []
  const running = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: client % 2 === 0, maxSockets: 1 })
    for (let n = 0; going; n++) {
      const outcome = await one(client, n, agent)
      asked++
      if (outcome) failed.push(outcome)
    }
    agent.destroy()
  })

  function one(client: number, n: number, agent: Agent): Promise<string | undefined> {
    const kind = (client + n) % KINDS
    if (kind === 0) {
      const verbatim = `client ${client}, report ${n}`
      return ask('POST', '/api/defects', agent, { section_id: 'cpu', project_id: projectId, verbatim })
    }
    return ask('GET', ['/api/session', '/api/defects', '/api/defects/counts'][kind - 1]!, agent)
  }

  function ask(method: string, path: string, agent: Agent, body?: object): Promise<string | undefined> {
    const ofBody = body && { 'content-type': 'application/json', 'idempotency-key': Bun.randomUUIDv7() }
    const headers = { cookie, ...ofBody }
    return new Promise(resolve => {
      const sent = request(origin + path, { method, agent, headers }, response => {
        const good = response.statusCode === 200 || response.statusCode === 201
        const ended = () => resolve(good ? undefined : `${method} ${path}: ${response.statusCode}`)
        response
          .resume()
          .on('end', ended)
          .on('error', error => resolve(`${method} ${path}: ${error.message}`))
      })
      sent.on('error', error => resolve(`${method} ${path}: ${error.message}`))
      sent.end(body && JSON.stringify(body))
    })
  }

  return {
    asked: () => asked,
    async stop() {
      going = false
      await Promise.all(running)
      return failed
    },
  }
}

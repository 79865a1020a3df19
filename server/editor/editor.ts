import { Value } from '@sinclair/typebox/value'
import { ofEveryAnswer } from '../answer.ts'
import { BoardFaults } from '../board/board.ts'
import { Marking, NotOfThisDrawing } from '../board/edit/marking.ts'
import { FileFault } from '../file-fault.ts'
import { boardFiles, readFiles, type StaticFile, send, take } from '../http/files.ts'
import type { EditedBoard, Saved } from './edited-board.ts'
import { Gate } from './gate.ts'

export interface Editor {
  /** good for one visit */
  url: string
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
const BODY_MOST_BYTES = 8 * 1024 * 1024

/** Of everything that the editor answers: nothing but its own files may run, load or be asked. */
const headers = {
  ...ofEveryAnswer,
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

type Answer = Response | Promise<Response>
type Routes = Record<string, (request: Request) => Answer>

/** A page for one person on this machine, about one file. */
export function startEditor(board: EditedBoard, assets: string, onSaved: (saved: Saved) => void): Editor {
  const server = Bun.serve({
    hostname: HOST,
    port: 0,
    development: false,
    maxRequestBodySize: BODY_MOST_BYTES,
    fetch: request => answer(request).catch(faultAnswer).then(finished),
  })
  const origin = `http://${HOST}:${server.port}`
  const gate = new Gate(origin)
  const routes = routesOf(board, assets, onSaved)

  async function answer(request: Request): Promise<Response> {
    const refused = gate.refusal(request)
    if (refused) return say(403, refused)
    const { pathname, searchParams } = new URL(request.url)
    const token = searchParams.get('token')
    if (token !== null && request.method === 'GET' && pathname === '/') return enter(request, token)
    if (!gate.isKnown(request)) return say(403, NOT_LET_IN)
    const methods = routes.get(pathname)
    if (!methods) return say(404, 'There is no such page.')
    const work = methods[request.method]
    if (!work) return say(405, 'That is not possible here.', { allow: Object.keys(methods).join(', ') })
    return work(request)
  }

  function enter(request: Request, token: string): Response {
    const cookie = gate.exchange(token)
    if (!cookie && !gate.isKnown(request)) return say(403, NOT_LET_IN)
    return new Response(null, {
      status: 303,
      headers: { location: '/', ...(cookie && { 'set-cookie': cookie }) },
    })
  }

  return { url: `${origin}/?token=${gate.token}`, stop: () => server.stop(true) }
}

const NOT_LET_IN =
  'Open the address that "faultline board edit" has shown. It is good for one visit: for another one, start it again.'

function routesOf(board: EditedBoard, assets: string, onSaved: (saved: Saved) => void): Map<string, Routes> {
  const files = readFiles(assets)
  const page = take(files, '/editor.html')
  const pictures = boardFiles({ svg: '', images: board.images })
  pictures.delete('/board.svg')
  const file = (file: StaticFile): Routes => ({ GET: request => send(request, file) })
  return new Map<string, Routes>([
    ...[...files, ...pictures, ['/', page] as const].map(([path, found]) => [path, file(found)] as const),
    ['/drawing', { GET: () => Response.json(board.begin()) }],
    ['/check', { POST: async request => Response.json(board.check((await read(request)).marking)) }],
    ['/save', { POST: async request => save(board, await read(request), onSaved) }],
  ])
}

function save(board: EditedBoard, { marking, replace }: Asked, onSaved: (saved: Saved) => void): Response {
  const saved = board.save(marking, replace)
  if (!saved) return Response.json({ exists: true }, { status: 409 })
  onSaved(saved)
  return Response.json(saved)
}

interface Asked {
  marking: Marking
  /** the person has agreed that another file is replaced */
  replace: boolean
}

class Unreadable extends Error {}

async function read(request: Request): Promise<Asked> {
  if (request.headers.get('content-type') !== 'application/json') throw new Unreadable('not JSON')
  const body: unknown = await request.json().catch(() => undefined)
  const { marking, replace } = (body ?? {}) as { marking?: unknown; replace?: unknown }
  if (!Value.Check(Marking, marking)) throw new Unreadable('no marking')
  return { marking, replace: replace === true }
}

function faultAnswer(error: unknown): Response {
  if (error instanceof BoardFaults) return Response.json({ faults: error.faults }, { status: 422 })
  if (error instanceof Unreadable || error instanceof NotOfThisDrawing)
    return Response.json({ faults: [error.message] }, { status: 422 })
  const message = error instanceof FileFault ? error.message : 'something went wrong here'
  return Response.json({ faults: [message] }, { status: 500 })
}

const say = (status: number, text: string, more: Record<string, string> = {}) =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...more } })

function finished(response: Response): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

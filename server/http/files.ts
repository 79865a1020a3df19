import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib'
import { isKnown, ofEveryAnswer } from '../answer.ts'
import type { Deps } from '../deps.ts'
import { pageHeaders } from './headers.ts'
import { memoized } from './memo.ts'

/** What the build of the interface leaves behind. */
export interface Bundle {
  /** public files by exact path: scripts, styles, icons, service worker, manifest */
  files: ReadonlyMap<string, StaticFile>
  /** the one page of the interface */
  shell: StaticFile
  /** of pages that the server renders */
  template: string
}

/** What there is of a file in each encoding; `br` and `gzip` where they are smaller. */
interface Encoded<T> {
  identity: T
  br?: T
  gzip?: T
}
export type StaticFile = Encoded<Variant>

interface Variant {
  /** handed to a response without being copied, as bytes would be */
  body: Blob
  /** built once: handing them over costs half of what a literal does */
  headers: Headers
  etag: string
}

type Body = Uint8Array<ArrayBuffer>

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Every file is read once and answers under exactly its own path: no path is ever looked up on disk. */
export function readFiles(folder: string): Map<string, StaticFile> {
  return new Map(listFiles(folder).map(file => [`/${file}`, readStatic(folder, file)]))
}

export function readBundle(folder: string): Bundle {
  const files = readFiles(folder)
  const shell = take(files, '/index.html')
  take(files, '/page.html')
  return { files, shell, template: readFileSync(join(folder, 'page.html'), 'utf8') }
}

export function take(files: Map<string, StaticFile>, path: string): StaticFile {
  const file = files.get(path)
  if (!file) throw new Error(`the web bundle lacks ${path}: build it first`)
  files.delete(path)
  return file
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
}

/** The drawing, and the pictures that were embedded in it: made at start, revalidated by their ETags. */
export function boardFiles({ svg, images }: Pick<Deps['board'], 'svg' | 'images'>): Map<string, StaticFile> {
  const common = { 'cache-control': 'private, no-cache', ...pageHeaders }
  return new Map([
    [
      '/board.svg',
      drawing(new TextEncoder().encode(svg), { 'content-type': mediaTypes['.svg']!, ...common }),
    ],
    ...[...images].map(([path, { bytes, type }]): [string, StaticFile] => [
      path,
      staticFile({ identity: new Uint8Array(bytes) }, { 'content-type': type, ...common }),
    ]),
  ])
}

/** The best compression of a large drawing would take many seconds, any would hold up the start. */
const SMALL_DRAWING = 200_000
const brotli = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } })

function drawing(identity: Body, common: Record<string, string>): StaticFile {
  if (identity.length < SMALL_DRAWING) {
    const br = new Uint8Array(brotliCompressSync(identity, brotli(11)))
    return staticFile({ identity, br, gzip: Bun.gzipSync(identity) }, common)
  }
  const variant = variantsOf(identity, { ...common, ...compressible })
  const file: StaticFile = { identity: variant(identity) }
  brotliCompress(identity, brotli(5), (error, br) => {
    if (!error) file.br = variant(new Uint8Array(br), 'br')
  })
  return file
}

function readStatic(folder: string, file: string): StaticFile {
  const read = (name: string): Body | undefined =>
    existsSync(join(folder, name)) ? new Uint8Array(readFileSync(join(folder, name))) : undefined
  const bodies = {
    identity: read(file) ?? new Uint8Array(),
    br: read(`${file}.br`),
    gzip: read(`${file}.gz`),
  }
  return staticFile(bodies, {
    'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
    'cache-control': cacheControl(file),
    ...(file.endsWith('.html') && pageHeaders),
  })
}

const compressible = { vary: 'accept-encoding' }

function staticFile({ identity, br, gzip }: Encoded<Body>, common: Record<string, string>): StaticFile {
  const variant = variantsOf(identity, { ...common, ...((br || gzip) && compressible) })
  return { identity: variant(identity), br: br && variant(br, 'br'), gzip: gzip && variant(gzip, 'gzip') }
}

function variantsOf(identity: Body, common: Record<string, string>) {
  const hash = Bun.hash(identity).toString(36)
  return (body: Body, encoding?: 'br' | 'gzip'): Variant => {
    const etag = encoding ? `"${hash}-${encoding}"` : `"${hash}"`
    const coding: Record<string, string> = encoding ? { 'content-encoding': encoding } : {}
    const headers = new Headers({ ...ofEveryAnswer, ...common, etag, ...coding })
    return { body: new Blob([body]), etag, headers }
  }
}

/** Going back after sign-out must ask the server, so that the shell is stored by nobody. */
function cacheControl(file: string): string {
  if (file.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  if (file.endsWith('.html')) return 'no-store'
  return file === 'sw.js' ? 'no-cache' : 'public, max-age=3600'
}

export function send(request: Request, file: StaticFile): Response {
  const encoding = acceptedEncodings(request.headers.get('accept-encoding') ?? '').find(name => file[name])
  const { body, headers, etag } = file[encoding ?? 'identity'] ?? file.identity
  if (isKnown(request, etag)) return notModified(headers)
  return new Response(body, { headers })
}

function notModified(headers: Headers): Response {
  const response = new Response(null, { status: 304, headers })
  response.headers.delete('content-encoding')
  return response
}

const acceptedEncodings = memoized(100, header =>
  (['br', 'gzip'] as const).filter(encoding =>
    header.split(',').some(part => {
      const [name, ...parameters] = part.split(';').map(word => word.trim())
      return name === encoding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
    }),
  ),
)

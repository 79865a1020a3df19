import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { pageHeaders } from './headers.ts'

/** What the build of the interface leaves behind. */
export interface Bundle {
  /** public files by exact path: scripts, styles, icons, service worker, manifest */
  files: ReadonlyMap<string, StaticFile>
  /** the one page of the interface */
  shell: StaticFile
  /** of pages that the server renders */
  template: string
}

export interface StaticFile {
  encodings: { identity: Body; br?: Body; gzip?: Body }
  headers: Record<string, string>
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
export function readBundle(folder: string): Bundle {
  const files = new Map<string, StaticFile>(
    listFiles(folder).map(file => [`/${file}`, readStatic(folder, file)]),
  )
  const shell = take(files, '/index.html')
  const template = new TextDecoder().decode(take(files, '/page.html').encodings.identity)
  return { files, shell, template }
}

function take(files: Map<string, StaticFile>, path: string): StaticFile {
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

/** A picture made at start: compressed once, revalidated by its ETag. */
export function pictureFile(svg: string): StaticFile {
  const identity = new Uint8Array(new TextEncoder().encode(svg))
  return {
    encodings: { identity, br: new Uint8Array(brotliCompressSync(identity)), gzip: Bun.gzipSync(identity) },
    headers: {
      'content-type': 'image/svg+xml',
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
      ...pageHeaders,
    },
    etag: etagOf(identity),
  }
}

const etagOf = (bytes: Body) => `"${Bun.hash(bytes).toString(36)}"`

function readStatic(folder: string, file: string): StaticFile {
  const read = (name: string): Body | undefined =>
    existsSync(join(folder, name)) ? new Uint8Array(readFileSync(join(folder, name))) : undefined
  const identity = read(file) ?? new Uint8Array()
  const br = read(`${file}.br`)
  const gzip = read(`${file}.gz`)
  return {
    encodings: { identity, ...(br ? { br } : {}), ...(gzip ? { gzip } : {}) },
    headers: {
      'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
      'cache-control': cacheControl(file),
      ...(br ? { vary: 'accept-encoding' } : {}),
      ...(file.endsWith('.html') ? pageHeaders : {}),
    },
    etag: etagOf(identity),
  }
}

/** Going back after sign-out must ask the server, so that the shell is stored by nobody. */
function cacheControl(file: string): string {
  if (file.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  if (file.endsWith('.html')) return 'no-store'
  return file === 'sw.js' ? 'no-cache' : 'public, max-age=3600'
}

export function send(request: Request, file: StaticFile): Response {
  const accepted = request.headers.get('accept-encoding') ?? ''
  const encoding = (['br', 'gzip'] as const).find(name => file.encodings[name] && accepts(accepted, name))
  const etag = encoding ? `${file.etag.slice(0, -1)}-${encoding}"` : file.etag
  const headers: Record<string, string> = { ...file.headers, etag }
  if (request.headers.get('if-none-match')?.split(/,\s*/).includes(etag)) {
    return new Response(null, { status: 304, headers })
  }
  if (encoding) headers['content-encoding'] = encoding
  return new Response(file.encodings[encoding ?? 'identity'], { headers })
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some(part => {
    const [name, ...parameters] = part.split(';').map(word => word.trim())
    return name === encoding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
  })
}

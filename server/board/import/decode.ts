/** Why bytes are no text; with what to do about it. */
export class NotText extends Error {}

const MARKS: [bytes: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  // "<" without a byte order mark
  [[0x3c, 0], 'utf-16le'],
  [[0, 0x3c], 'utf-16be'],
]

/** A file's text: by its byte order mark, else by the encoding that it declares, else as UTF-8. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new NotText('the drawing is compressed (.svgz): save it as plain SVG')
  const encoding = encodingOf(bytes)
  try {
    return decoderFor(encoding).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new NotText(`the drawing is not ${encoding}: save it as UTF-8`)
  }
}

function encodingOf(bytes: Uint8Array): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked) return marked[1]
  const start = String.fromCharCode(...bytes.subarray(0, 200))
  const [, declared = 'utf-8'] = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start) ?? []
  // a declaration that could be read byte by byte is not in UTF-16, whatever it says
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding as 'utf-8', { fatal: true })
  } catch {
    throw new NotText(`the encoding ${encoding} is not known here: save the drawing as UTF-8`)
  }
}

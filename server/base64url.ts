/** Strictly: only what encodes back to the same text. */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

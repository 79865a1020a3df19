/** The productions of XML 1.0 that a tag-by-tag reader needs; each is tried at one place (sticky). */
const START =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const NAME = `[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`
const SPACE = '[ \\t\\n]'
export const ATTRIBUTE = new RegExp(`${SPACE}+(${NAME})${SPACE}*=${SPACE}*(?:"([^"<]*)"|'([^'<]*)')`, 'uy')
export const TAG_NAME = new RegExp(NAME, 'uy')
export const TAG_END = new RegExp(`${SPACE}*(/?)>`, 'uy')
export const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${SPACE}*=${SPACE}*["']([^"']*)["'](?:${SPACE}+encoding${SPACE}*=${SPACE}*["']([^"']*)["'])?(?:${SPACE}+standalone${SPACE}*=${SPACE}*["'](?:yes|no)["'])?${SPACE}*\\?>`,
  'uy',
)
export const DOCTYPE = new RegExp(
  `<!DOCTYPE${SPACE}+${NAME}(?:${SPACE}+(?:SYSTEM|PUBLIC${SPACE}+(?:"[^"]*"|'[^']*'))${SPACE}+(?:"[^"]*"|'[^']*'))?${SPACE}*([[>])`,
  'uy',
)
export const REFERENCE = new RegExp(`&(?:#(\\d{1,7});|#x([0-9a-fA-F]{1,6});|(${NAME});)?`, 'gu')
export const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
export const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u

export function isCharacter(code: number): boolean {
  return (
    code <= 0x10ffff &&
    (code === 9 || code === 10 || code === 13 || code >= 32) &&
    !FORBIDDEN.test(String.fromCodePoint(code))
  )
}

export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

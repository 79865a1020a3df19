/** The parser alone: all of css-tree also loads its tables of every CSS syntax. */
declare module 'css-tree/parser' {
  import type { parse } from 'css-tree'

  const parser: typeof parse
  export default parser
}

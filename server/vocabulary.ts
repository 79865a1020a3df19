/**
 * Words and limits that the table, the wire, the command line and the pages share: everything may import
 * them, and nothing is imported here.
 */

export const VERBATIM_LIMIT = 5_000
export const PROJECT_NAME_LIMIT = 120

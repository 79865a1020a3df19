import { everyCommand, type Flag, type Outline } from './outline.ts'

/** The manual page, in the language of man(7). */
export function manPage(top: Outline, version: string, statuses: [status: number, means: string][]): string {
  const [, ...commands] = everyCommand(top)
  return [
    `.TH FAULTLINE 1 "" "Faultline ${version}"`,
    '.SH NAME',
    `faultline \\- ${text(top.description)}`,
    '.SH SYNOPSIS',
    '.B faultline',
    '[options] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH OPTIONS',
    'These go with every command.',
    ...top.flags.flatMap(flag),
    '.SH COMMANDS',
    ...commands.filter(({ commands }) => !commands.length).flatMap(command),
    '.SH "EXIT STATUS"',
    ...statuses.flatMap(([status, means]) => ['.TP', String(status), text(means)]),
  ].join('\n')
}

function command({ path, values, description, flags }: Outline): string[] {
  const written = values.map(({ name }) => ` \\fI${text(name)}\\fR`).join('')
  const own = flags.filter(({ long }) => long !== '--help')
  return [`.SS "faultline ${path.join(' ')}${written}"`, text(description), ...own.flatMap(flag)]
}

function flag({ short, long, value, description }: Flag): string[] {
  const names = [short, long].flatMap(name => (name ? [`\\fB${text(name)}\\fR`] : [])).join(', ')
  return ['.TP', value ? `${names} \\fI${text(value.name)}\\fR` : names, text(description)]
}

/** A hyphen is a dash unless told otherwise, a backslash begins a command, and so does a dot that begins a line. */
const text = (words: string) =>
  words
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1')

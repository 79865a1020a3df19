import type { Command, Option } from 'commander'
import { commandPath, everyCommand, optionsOf, ownOptionsOf, takesValue, valueNameOf } from './outline.ts'

/** The manual page, in the language of man(7). */
export function manPage(top: Command, version: string, statuses: [status: number, means: string][]): string {
  const [, ...commands] = everyCommand(top)
  return [
    `.TH FAULTLINE 1 "" "Faultline ${version}"`,
    '.SH NAME',
    `faultline \\- ${text(top.description())}`,
    '.SH SYNOPSIS',
    '.B faultline',
    '[options] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH OPTIONS',
    'These go with every command.',
    ...optionsOf(top).flatMap(option),
    '.SH COMMANDS',
    ...commands.filter(({ commands }) => !commands.length).flatMap(section),
    '.SH "EXIT STATUS"',
    ...statuses.flatMap(([status, means]) => ['.TP', String(status), text(means)]),
  ].join('\n')
}

function section(command: Command): string[] {
  const values = command.registeredArguments.map(value => ` \\fI${text(valueNameOf(value))}\\fR`)
  const title = `.SS "faultline ${commandPath(command).join(' ')}${values.join('')}"`
  return [title, text(command.description()), ...ownOptionsOf(command).flatMap(option)]
}

function option(option: Option): string[] {
  const names = [option.short, option.long]
    .flatMap(name => (name ? [`\\fB${text(name)}\\fR`] : []))
    .join(', ')
  const value = takesValue(option) ? ` \\fI${text(valueNameOf(option))}\\fR` : ''
  return ['.TP', names + value, text(option.description)]
}

/** A hyphen is a dash unless told otherwise, a backslash begins a command, and so does a dot that begins a line. */
const text = (words: string) =>
  words
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1')

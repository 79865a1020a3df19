import { type Argument, type Command, Option } from 'commander'

/** The command itself, and all below it: completion and manual are written from them. */
export const everyCommand = (top: Command): Command[] => [top, ...top.commands.flatMap(everyCommand)]

/** Its names after that of the program. */
export const commandPath = (command: Command): string[] =>
  command.parent ? [...commandPath(command.parent), command.name()] : []

/** Its options, `--help` included. */
export const optionsOf = (command: Command) => command.createHelp().visibleOptions(command)

/** Those that are not on every command. */
export const ownOptionsOf = (command: Command) => optionsOf(command).filter(({ long }) => long !== '--help')

export const takesValue = (option: Option) => option.required || option.optional

/** The name of an argument, or of an option's value. */
export const valueNameOf = (of: Argument | Option) =>
  of instanceof Option ? (/[<[]([^\]>]+)/.exec(of.flags)?.[1] ?? '') : of.name()

export const isFile = (of: Argument | Option) => valueNameOf(of) === 'file'

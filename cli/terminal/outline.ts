import type { Argument, Command, Option } from 'commander'

/** What may follow a command or an option: words to choose from, a file, or anything. */
export interface Value {
  name: string
  choices: readonly string[]
  isFile: boolean
}

export interface Flag {
  short?: string
  long: string
  description: string
  /** absent: the option stands alone */
  value?: Value
}

/** A command as data, with all below it: completion and manual are written from it. */
export interface Outline {
  path: string[]
  description: string
  values: Value[]
  flags: Flag[]
  commands: Outline[]
}

const HELP: Flag = { short: '-h', long: '--help', description: 'what a command does, with an example' }

export function outline(command: Command, path: string[] = []): Outline {
  return {
    path,
    description: command.description(),
    values: command.registeredArguments.map(argumentOf),
    flags: [...command.options.map(flagOf), HELP],
    commands: command.commands.map(sub => outline(sub, [...path, sub.name()])),
  }
}

/** The command itself, and all below it. */
export const everyCommand = (top: Outline): Outline[] => [top, ...top.commands.flatMap(everyCommand)]

const argumentOf = (argument: Argument): Value => ({
  name: argument.name(),
  choices: argument.argChoices ?? [],
  isFile: argument.name() === 'file',
})

function flagOf({ short, long, description, flags, argChoices }: Option): Flag {
  const [, name] = /[<[]([^\]>]+)/.exec(flags) ?? []
  const value = name && { name, choices: argChoices ?? [], isFile: name === 'file' }
  return { ...(short ? { short } : {}), long: long ?? '', description, ...(value ? { value } : {}) }
}

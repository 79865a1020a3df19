import { type Argument, CommanderError } from 'commander'
import { version } from '../package.json'
import { Command } from './command.ts'
import { exit } from './terminal/faults.ts'
import { oneLine } from './terminal/print.ts'

export { version }

export const statuses: [status: number, means: string][] = [
  [exit.ok, 'ok'],
  [exit.failed, 'failed'],
  [exit.usage, 'usage or configuration'],
  [exit.unreachable, 'database unreachable'],
  [exit.schema, 'schema mismatch'],
  [exit.noDevice, 'no push subscription'],
  [exit.pushRefused, 'push refused'],
  [exit.interrupted, 'interrupted'],
]

const after = `
Exit status: ${statuses.map(([status, means]) => `${status} ${means}`).join(', ')}.

Settings come from the environment; \`faultline init\` writes a file with all of them.`

export function createProgram(): Command {
  const cleaned = (text: string) => text.split('\n').map(oneLine).join('\n')
  return new Command('faultline')
    .description('Report defects against a board, and see where it is weak.')
    .version(version, '-v, --version', 'print the version')
    .option('--env-file <file>', 'read settings from this file; the environment wins')
    .option('--no-color', 'no colours, also without a terminal or with NO_COLOR')
    .helpOption('-h, --help', 'what a command does, with an example')
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: command => [command.name(), ...command.registeredArguments.map(written)].join(' '),
    })
    .configureOutput({
      writeErr: text => void process.stderr.write(cleaned(text.replace(/^error: /, 'faultline: '))),
    })
    .exitOverride()
    .examples('faultline demo', 'faultline counts --since 7d')
    .addHelpText('after', after)
}

const written = (argument: Argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)

/** Parses and runs; whatever is wrong with the command line itself is exit status 2. */
export async function runProgram(program: Command, argv: string[]): Promise<void> {
  // A reader such as `head` may have enough before the help ends.
  process.stdout.on('error', () => {})
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exit.ok : exit.usage
  }
}

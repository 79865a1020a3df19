import { Command as Commander, InvalidArgumentError } from 'commander'
import { type RunOptions, run } from './run.ts'
import type { Io } from './terminal/io.ts'

/** A command of the program: what it does is given to `runs`, with its arguments and options. */
export class Command extends Commander {
  override createCommand(name?: string): Command {
    return new Command(name)
  }

  runs<Given extends unknown[]>(work: (io: Io, ...given: Given) => Promise<unknown>, options?: RunOptions) {
    return this.action((...given) => run(this, io => work(io, ...(given as Given)), options))
  }

  examples(...lines: string[]) {
    const title = lines.length > 1 ? 'Examples' : 'Example'
    return this.addHelpText('after', `\n${title}:\n${lines.map(line => `  $ ${line}`).join('\n')}`)
  }
}

export function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
  }
}

import { Argument } from 'commander'
import type { Command } from '../command.ts'
import { completionScript, type Shell, shells } from '../terminal/completion.ts'

export function completion(program: Command) {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that is to complete').choices(shells))
    .description('print a script that completes commands and options in bash, zsh or fish')
    .examples(
      'faultline completion fish > ~/.config/fish/completions/faultline.fish',
      'source <(faultline completion bash)',
    )
    .runs(async (io, shell: Shell) => io.print(completionScript(shell, program).trimEnd()))
}

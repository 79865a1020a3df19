import { Argument, type Command } from 'commander'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { completionScript, type Shell, shells } from '../terminal/completion.ts'
import { outline } from '../terminal/outline.ts'

export function completion(program: Command) {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that is to complete').choices(shells))
    .description('print a script that completes commands and options in bash, zsh or fish')
    .addHelpText(
      'after',
      examples(
        'faultline completion fish > ~/.config/fish/completions/faultline.fish',
        'source <(faultline completion bash)',
      ),
    )
    .action((shell: Shell, _options, command: Command) =>
      run(command, async io => io.print(completionScript(shell, outline(program)).trimEnd())),
    )
}

import type { Argument, Command, Option } from 'commander'
import {
  commandPath,
  everyCommand,
  isFile,
  optionsOf,
  ownOptionsOf,
  takesValue,
  valueNameOf,
} from './outline.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script that completes commands, options and their values in that shell; it runs nothing of ours. */
export function completionScript(shell: Shell, top: Command): string {
  return { bash, zsh, fish }[shell](top)
}

type Value = Argument | Option

const namesOf = ({ short, long }: Option) => [long, short].filter(name => name !== undefined)
const choicesOf = ({ argChoices }: Value) => argChoices ?? []
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bash(top: Command): string {
  const commands = everyCommand(top)
  const pathed = (command: Command) => commandPath(command).join(' ')
  const steps = commands.flatMap(command =>
    command.commands.map(
      sub => `      ${quoted(`${pathed(command)}:${sub.name()}`)}) command=${quoted(pathed(sub))} ;;`,
    ),
  )
  // An option of the program itself may stand before or after any command.
  const valued = commands.flatMap(command =>
    optionsOf(command)
      .filter(takesValue)
      .map(option => {
        const words = namesOf(option).map(name =>
          command === top ? `*:${name}` : quoted(`${pathed(command)}:${name}`),
        )
        return { option, pattern: words.join('|') }
      }),
  )
  const words = commands.map(command => {
    const offered = [
      ...command.commands.map(sub => sub.name()),
      ...command.registeredArguments.flatMap(choicesOf),
      ...optionsOf(command).flatMap(namesOf),
    ]
    const files = command.registeredArguments.some(isFile) ? '; files=1' : ''
    return `    ${quoted(pathed(command))}) words=${quoted(offered.join(' '))}${files} ;;`
  })
  return `# Completion of faultline for bash: source it, or keep it as
# /usr/share/bash-completion/completions/faultline
_faultline() {
  local command= previous= word words= files= i
  local current=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$command:$previous" in
      ${valued.map(({ pattern }) => pattern).join('|')})
        previous=$word
        continue
        ;;
    esac
    previous=$word
    case "$command:$word" in
${steps.join('\n')}
    esac
  done
  COMPREPLY=()
  case "$command:$previous" in
${valued.map(({ option, pattern }) => `    ${pattern}) ${bashValue(option)}; return ;;`).join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  [[ $command ]] && words+=${quoted(` ${optionsOf(top).flatMap(namesOf).join(' ')}`)}
  [[ $files && $current != -* ]] && { compopt -o default; return; }
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _faultline faultline
`
}

function bashValue(option: Option): string {
  const choices = choicesOf(option)
  if (isFile(option)) return 'compopt -o default'
  return choices.length ? `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current"))` : ':'
}

function zsh(top: Command): string {
  const shared = optionsOf(top)
    .map(option => `  ${zshOption(option)}`)
    .join('\n')
  return `#compdef faultline
# Completion of faultline for zsh: keep it as _faultline in a folder of $fpath.
_faultline_shared=(
${shared}
)
${everyCommand(top)
  .map(command => zshFunction(command, top))
  .join('\n')}
if [[ $funcstack[1] == _faultline ]]; then _faultline "$@"; else compdef _faultline faultline; fi
`
}

const zshName = (command: Command) => ['_faultline', ...commandPath(command)].join('_')

function zshFunction(command: Command, top: Command): string {
  const own = command === top ? [] : ownOptionsOf(command).map(zshOption)
  if (!command.commands.length) {
    const values = command.registeredArguments.map((value, i) => quoted(`${i + 1}:${zshValue(value)}`))
    return `${zshName(command)}() { _arguments $_faultline_shared ${[...own, ...values].join(' ')}; }`
  }
  const commands = command.commands.map(sub => quoted(`${sub.name()}:${sub.description()}`))
  return `${zshName(command)}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands=(
    ${commands.join('\n    ')}
  )
  _arguments -C $_faultline_shared ${own.join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest) (( $+functions[${zshName(command)}_$words[1]] )) && ${zshName(command)}_$words[1] ;;
  esac
}`
}

function zshOption(option: Option): string {
  const description = `[${option.description.replace(/[[\]:]/g, '\\$&')}]`
  const value = takesValue(option) ? `:${zshValue(option)}` : ''
  return namesOf(option)
    .map(name => quoted(`${name}${description}${value}`))
    .join(' ')
}

function zshValue(value: Value): string {
  const choices = choicesOf(value)
  return `${valueNameOf(value)}:${isFile(value) ? '_files' : choices.length ? `(${choices.join(' ')})` : ' '}`
}

function fish(top: Command): string {
  const commands = everyCommand(top)
  const known = commands.flatMap(command =>
    command.commands.map(sub => quoted(`${commandPath(command).join(' ')} ${sub.name()}`)),
  )
  const valued = commands.flatMap(command => optionsOf(command).filter(takesValue).flatMap(namesOf))
  const lines = commands.flatMap(command => {
    const at = ` -n ${quoted(['__faultline_at', ...commandPath(command)].join(' '))}`
    const [options, here] = command === top ? [optionsOf(top), ''] : [ownOptionsOf(command), at]
    return [
      ...command.commands.map(sub => `${at} -a ${sub.name()} -d ${fishText(sub.description())}`),
      ...command.registeredArguments.map(value => `${at}${fishValue(value)}`),
      ...options.map(option => `${here}${fishOption(option)}`),
    ]
  })
  return `# Completion of faultline for fish: keep it as ~/.config/fish/completions/faultline.fish
function __faultline_at
  set -l path
  set -l previous
  for word in (commandline -opc)[2..]
    if contains -- "$previous" ${valued.join(' ')}
      set previous
      continue
    end
    set previous $word
    contains -- "$path $word" ${known.join(' ')}; and set -a path $word
  end
  test "$path" = "$argv"
end
complete -c faultline -f
${lines.map(line => `complete -c faultline${line}`).join('\n')}
`
}

const fishText = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`

function fishValue(value: Value): string {
  if (isFile(value)) return ' -F'
  const choices = choicesOf(value).join(' ')
  return choices && ` -a ${fishText(choices)}`
}

function fishOption(option: Option): string {
  const { short, long = '', description } = option
  const name = `${short ? ` -s ${short.slice(1)}` : ''} -l ${long.slice(2)} -d ${fishText(description)}`
  return takesValue(option) ? `${name} -r${isFile(option) ? '' : ' -f'}${fishValue(option)}` : name
}

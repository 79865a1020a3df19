import { everyCommand, type Flag, type Outline, type Value } from './outline.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script that completes commands, options and their values in that shell; it runs nothing of ours. */
export function completionScript(shell: Shell, top: Outline): string {
  return { bash, zsh, fish }[shell](top)
}

const namesOf = ({ short, long }: Flag) => [long, ...(short ? [short] : [])]
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bash(top: Outline): string {
  const commands = everyCommand(top)
  const steps = commands.flatMap(({ path, commands }) =>
    commands.map(
      sub =>
        `      ${quoted(`${path.join(' ')}:${sub.path.at(-1)}`)}) command=${quoted(sub.path.join(' '))} ;;`,
    ),
  )
  const flags = commands.flatMap(command =>
    command.flags.flatMap(flag => (flag.value ? [{ command, flag, value: flag.value }] : [])),
  )
  // An option of the program itself may stand before or after any command.
  const pattern = (command: Outline, flag: Flag) =>
    namesOf(flag)
      .map(name => (command === top ? `*:${name}` : quoted(`${command.path.join(' ')}:${name}`)))
      .join('|')
  const words = commands.map(({ path, commands, flags, values }) => {
    const offered = [
      ...commands.map(sub => sub.path.at(-1)),
      ...values.flatMap(value => value.choices),
      ...flags.flatMap(namesOf),
    ]
    const files = values.some(value => value.isFile) ? '; files=1' : ''
    return `    ${quoted(path.join(' '))}) words=${quoted(offered.join(' '))}${files} ;;`
  })
  return `# Completion of faultline for bash: source it, or keep it as
# /usr/share/bash-completion/completions/faultline
_faultline() {
  local command= previous= word words= files= i
  local current=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$command:$previous" in
      ${flags.map(({ command, flag }) => pattern(command, flag)).join('|')})
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
${flags.map(({ command, flag, value }) => `    ${pattern(command, flag)}) ${bashValue(value)}; return ;;`).join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  [[ $command ]] && words+=${quoted(` ${top.flags.flatMap(namesOf).join(' ')}`)}
  [[ $files && $current != -* ]] && { compopt -o default; return; }
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _faultline faultline
`
}

function bashValue({ choices, isFile }: Value): string {
  if (isFile) return 'compopt -o default'
  return choices.length ? `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current"))` : ':'
}

function zsh(top: Outline): string {
  const shared = top.flags.map(flag => `  ${zshFlag(flag)}`).join('\n')
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

const zshName = ({ path }: Outline) => ['_faultline', ...path].join('_')

function zshFunction(command: Outline, top: Outline): string {
  const own = command === top ? [] : command.flags.filter(({ long }) => long !== '--help').map(zshFlag)
  if (!command.commands.length) {
    const values = command.values.map((value, i) => quoted(`${i + 1}:${zshValue(value)}`))
    return `${zshName(command)}() { _arguments $_faultline_shared ${[...own, ...values].join(' ')}; }`
  }
  const commands = command.commands.map(sub => quoted(`${sub.path.at(-1)}:${sub.description}`))
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

function zshFlag(flag: Flag): string {
  const description = `[${flag.description.replace(/[[\]:]/g, '\\$&')}]`
  const value = flag.value ? `:${zshValue(flag.value)}` : ''
  return namesOf(flag)
    .map(name => quoted(`${name}${description}${value}`))
    .join(' ')
}

function zshValue({ name, choices, isFile }: Value): string {
  return `${name}:${isFile ? '_files' : choices.length ? `(${choices.join(' ')})` : ' '}`
}

function fish(top: Outline): string {
  const known = everyCommand(top).flatMap(({ path, commands }) =>
    commands.map(sub => quoted(`${path.join(' ')} ${sub.path.at(-1)}`)),
  )
  const valued = everyCommand(top).flatMap(({ flags }) => flags.filter(({ value }) => value).flatMap(namesOf))
  const lines = everyCommand(top).flatMap(command => {
    const here = command === top ? '' : ` -n ${quoted(`__faultline_at ${command.path.join(' ')}`)}`
    const at = ` -n ${quoted(['__faultline_at', ...command.path].join(' '))}`
    return [
      ...command.commands.map(sub => `${at} -a ${sub.path.at(-1)} -d ${fishText(sub.description)}`),
      ...command.values.map(value => `${at}${fishValue(value)}`),
      ...command.flags
        .filter(({ long }) => command === top || long !== '--help')
        .map(flag => `${here}${fishFlag(flag)}`),
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
const fishValue = ({ choices, isFile }: Value) =>
  isFile ? ' -F' : choices.length ? ` -a ${fishText(choices.join(' '))}` : ''

function fishFlag({ short, long, description, value }: Flag): string {
  const name = `${short ? ` -s ${short.slice(1)}` : ''} -l ${long.slice(2)} -d ${fishText(description)}`
  return value ? `${name} -r${value.isFile ? ' -F' : ' -f'}${value.isFile ? '' : fishValue(value)}` : name
}

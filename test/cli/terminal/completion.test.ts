import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { completionScript } from '../../../cli/terminal/completion.ts'
import { manPage } from '../../../cli/terminal/man.ts'

const program = new Command('faultline')
  .description("What it's for.")
  .option('--env-file <file>', 'settings: from a file')
  .option('-v, --version', 'the [version]')
program
  .command('counts')
  .description('defects by section')
  .option('--since <days>', 'not all')
  .option('--json', 'as JSON')
program.command('backup').argument('<file>').description("everything; it's safe").option('--json', 'as JSON')
program.command('export').addOption(new Option('--format <kind>', 'how').choices(['csv', 'ndjson']))
const push = program.command('push').description('devices')
push.command('test').description('send')
push.command('status').option('--long', 'more')
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))

const folder = mkdtempSync(join(tmpdir(), 'faultline-completion-'))
const scriptFor = (shell: 'bash' | 'zsh' | 'fish') => {
  const path = join(folder, `script.${shell}`)
  writeFileSync(path, completionScript(shell, program))
  return path
}

async function output(command: string[]): Promise<string[]> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect({ status: await child.exited, err }).toEqual({ status: 0, err: '' })
  return out.split('\n').filter(Boolean).toSorted()
}

const completions: [typed: string[], offered: string[]][] = [
  [
    [''],
    ['--env-file', '--help', '--version', '-h', '-v', 'backup', 'completion', 'counts', 'export', 'push'],
  ],
  [['co'], ['completion', 'counts']],
  [
    ['push', ''],
    ['--env-file', '--help', '--version', '-h', '-v', 'status', 'test'],
  ],
  [['push', 'status', '--l'], ['--long']],
  [['push', 'test', '--l'], []],
  [['counts', '--j'], ['--json']],
  [['counts', '--env-file', 'counts', '--s'], ['--since']],
  [
    ['--env-file', 'push', 'co'],
    ['completion', 'counts'],
  ],
  [['counts', '--since', ''], []],
  [
    ['export', '--format', ''],
    ['csv', 'ndjson'],
  ],
  [['completion', 'z'], ['zsh']],
  [['backup', ''], ['files']],
  [['counts', '--env-file', ''], ['files']],
]

describe('in bash', () => {
  const script = scriptFor('bash')
  test.each(completions)('%j is completed', async (typed, offered) => {
    const ask = `compopt() { echo files; }; source ${script}
      COMP_WORDS=(faultline "$@"); COMP_CWORD=$#; _faultline; printf '%s\\n' "\${COMPREPLY[@]}"`
    expect([...new Set(await output(['bash', '-c', ask, 'bash', ...typed]))]).toEqual(offered)
  })
})

const where = { zsh: Bun.which('zsh'), fish: Bun.which('fish') }

describe.if(where.fish !== null)('in fish', () => {
  const script = scriptFor('fish')
  const own = (offered: string[]) => offered.filter(word => word !== 'files')
  test.each(completions.filter(([, offered]) => !offered.includes('-h')))(
    '%j is completed',
    async (typed, offered) => {
      const line = ['faultline', ...typed].join(' ')
      const lines = await output([
        'fish',
        '--no-config',
        '-c',
        `source ${script}; complete --do-complete '${line}'`,
      ])
      const words = lines.map(found => found.split('\t')[0]!)
      if (offered.includes('files')) expect(words).toContain('script.fish')
      else expect(words).toEqual(own(offered))
    },
  )
})

test.if(where.zsh !== null)('zsh understands its script', async () => {
  await output(['zsh', '--no-exec', scriptFor('zsh')])
  const ask = `autoload -Uz compinit && compinit -u -d ${folder}/dump; source ${scriptFor('zsh')}; print -l ${'$'}{(k)functions[(I)_faultline*]}; print $_comps[faultline]`
  expect(await output(['zsh', '-f', '-c', ask])).toContain('_faultline_push_status')
})

test('the manual page names every command, option and exit status, and is sound', async () => {
  const page = manPage(program, '1.2.3', [
    [0, 'ok'],
    [130, 'interrupted'],
  ])
  for (const words of [
    'faultline push status',
    'faultline backup \\fIfile\\fR',
    '\\-\\-since\\fR \\fIdays',
    '130',
  ])
    expect(page).toContain(words)
  expect(page).not.toMatch(/^'/m)
  if (!Bun.which('groff')) return
  const file = join(folder, 'faultline.1')
  writeFileSync(file, page)
  const lines = await output(['groff', '-man', '-Tutf8', '-ww', file])
  expect(lines.join('\n')).toContain('send')
})

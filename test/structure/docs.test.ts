import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json'
import { events } from '../../server/audit.ts'
import { names, settingOf } from '../../server/config/settings.ts'
import { settingsTable } from '../../server/config/template.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = ['*.md', 'docs/**/*.md'].flatMap(pattern => [
  ...new Bun.Glob(pattern).scanSync({ cwd: root }),
])

/** The names in the first column of a document's tables. */
const firstColumn = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!).toSorted()

/** The content of fenced blocks, lines that end in a backslash joined to the next. */
const codeLines = (text: string) =>
  [...text.matchAll(/^ *```\w*\n(.*?)^ *```$/gms)].flatMap(([, code]) =>
    code!.replace(/\\\n\s*/g, '').split('\n'),
  )

interface Use {
  command: string
  options: string[]
}

/** Every call of the executable, in code blocks and in `faultline …` within a sentence. */
function usesIn(text: string): Use[] {
  const spans = [...text.replace(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
  return [...codeLines(text), ...spans].flatMap(line => {
    const [, call = ''] = CALL.exec(line.replace(/ (?:[|#]|2>|&&) ?.*$/, '')) ?? []
    const words = call.split(/\s+/)
    if (!call || NOT_OURS.test(line)) return []
    const command = words.slice(0, ['push', 'board', 'sessions'].includes(words[0]!) ? 2 : 1).join(' ')
    const options = words.filter(word => /^--?[a-z]/.test(word)).map(word => word.replace(/=.*/, ''))
    return [{ command, options }]
  })
}
/** As a word of its own or at the end of a path, in a unit file too. */
const CALL = /(?:^(?:Exec\w+=-?)?|[\s"])(?:[\w./-]+\/)?faultline (?!env |faultline )([a-z].*)$/
const UNIT = 'cli/commands/faultline.service'
/** Where `faultline` is a container or an upstream. */
const NOT_OURS = /^\s*(?:docker|upstream|sudo (?:install|useradd|systemctl))/

test('the table of settings is written from the settings', () => {
  expect(read('docs/settings.md')).toContain(`\n\n${settingsTable()}\n\n`)
})

test('the page of settings names those that may come from a file', () => {
  const [, sentence = ''] = /^(.*) may come from a file instead/m.exec(read('docs/settings.md')) ?? []
  const named = [...sentence.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!)
  expect(named).toEqual(names.filter(name => settingOf(name).secret))
})

test('the page on the audit trail has every event', () => {
  const listed = firstColumn(read('docs/operations/audit.md'))
  expect(listed).toEqual([...Object.keys(events), 'event', 'actor', 'reason', 'request_id'].toSorted())
})

test('every dependency has its row, with what it is for', () => {
  const rows = new Set(firstColumn(read('docs/dependencies.md')))
  const { dependencies, devDependencies } = packageJson
  const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(name => !rows.has(name))
  expect(missing).toEqual([])
})

test('every command and option that a document names exists', async () => {
  const unit = `\n\`\`\`\n${read(UNIT)}\`\`\`\n`
  const texts = [...documents.map(document => [document, read(document)] as const), [UNIT, unit] as const]
  const uses = texts.flatMap(([document, text]) => usesIn(text).map(use => ({ document, ...use })))
  expect(uses.filter(use => use.document === UNIT).map(use => use.command)).toContain('serve')
  expect(new Set(uses.map(use => use.command)).size).toBeGreaterThan(12)
  const commands = [...new Set(uses.map(use => use.command))]
  const help = new Map(await Promise.all(commands.map(async name => [name, await helpOf(name)] as const)))
  const unknown = uses.filter(({ command, options }) => {
    const text = help.get(command)
    return (
      text === undefined ||
      options.some(option => !new RegExp(`(?:^|[ ,])${option}(?![\\w-])`, 'm').test(text))
    )
  })
  expect(unknown).toEqual([])
}, 60_000)

/** What `faultline help …` says, or undefined for what is no command. */
async function helpOf(command: string): Promise<string | undefined> {
  const asked = [process.execPath, join(root, 'cli/main.ts'), 'help', ...command.split(' ')]
  const child = Bun.spawn(asked, { stdout: 'pipe', stderr: 'ignore', env: { NO_COLOR: '1' } })
  const text = await new Response(child.stdout).text()
  return (await child.exited) === 0 ? text : undefined
}

test('every script that a document runs is one of package.json', () => {
  const scripts = documents.flatMap(document =>
    [...read(document).matchAll(/(?:\bbun|bun@[\d.]+) run ([a-z:]+)/g)].map(([, name]) => name!),
  )
  expect(scripts.length).toBeGreaterThan(5)
  expect(scripts.filter(name => !(name in packageJson.scripts))).toEqual([])
})

test('every file that a document names is there', () => {
  const missing = documents.flatMap(document => {
    const text = read(document)
    const links = [...text.matchAll(/(?<!!)\[[^\]]*\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) =>
      join(dirname(document), path!),
    )
    const named = [...text.matchAll(/`((?:server|cli|web|test|docs|drizzle)\/[\w./-]+\.\w+)`/g)].map(
      ([, path]) => path!,
    )
    return [...links, ...named]
      .filter(path => !existsSync(join(root, path)))
      .map(path => `${document}: ${path}`)
  })
  expect(missing).toEqual([])
})

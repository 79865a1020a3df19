import { join } from 'node:path'
import { $ } from 'bun'

export const root = join(import.meta.dir, '..')
export const entries = ['cli/main.ts', 'server/embedded/worker.ts', 'server/board/thread.ts']

/**
 * One executable out of the sources and what was built before: the page, the embedded database's files.
 * Without a target it is for the machine that builds.
 */
export async function compile(outfile: string, target?: string): Promise<void> {
  const defines = {
    FAULTLINE_COMMIT: await commit(),
    FAULTLINE_TARGET: target ?? `${process.platform}-${process.arch}`,
    'process.env.NODE_ENV': 'production',
  }
  const options = [
    ...['--compile', ...(target ? [`--target=bun-${target}`] : []), `--outfile=${outfile}`],
    ...['--minify-whitespace', '--minify-syntax', '--sourcemap=none'],
    // Nothing is parsed before the first line of an answer.
    ...['--bytecode', '--format=esm'],
    ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    ...['web/dist', 'web/dist-editor', 'drizzle', 'dist/pglite'].map(folder => `--asset=${folder}`),
    ...Object.entries(defines).flatMap(([name, value]) => ['--define', `${name}=${JSON.stringify(value)}`]),
  ]
  await $`${process.execPath} build ${options} ${entries}`.cwd(root).quiet()
}

export async function commit(): Promise<string> {
  const described = await $`git describe --always --abbrev=40 --dirty --exclude=${'*'}`
    .cwd(root)
    .nothrow()
    .quiet()
  return described.exitCode === 0 ? described.text().trim() : 'unknown'
}

if (import.meta.main) await compile('dist/faultline')

import { plugin, Transpiler } from 'bun'

/** Lets tests import state classes (`*.svelte.ts`) as the page runs them, without a browser. */
const typescript = new Transpiler({ loader: 'ts', target: 'browser' })

await plugin({
  name: 'svelte-modules',
  setup(build) {
    build.onLoad({ filter: /\.svelte\.ts$/ }, async ({ path }) => {
      const { compileModule } = await import('svelte/compiler')
      const source = typescript.transformSync(await Bun.file(path).text())
      return { contents: compileModule(source, { filename: path, generate: 'client' }).js.code, loader: 'js' }
    })
  },
})

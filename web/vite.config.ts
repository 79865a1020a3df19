import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

export default defineConfig(
  built(
    { index: join(import.meta.dirname, 'index.html'), page: join(import.meta.dirname, 'page.html') },
    'dist',
    'assets',
  ),
)

export function built(input: Record<string, string>, folder: string, assetsDir: string): UserConfig {
  return {
    root: import.meta.dirname,
    publicDir: folder === 'dist' && 'public',
    plugins: [svelte({ configFile: false }), precompress(join(import.meta.dirname, folder))],
    build: {
      outDir: folder,
      assetsDir,
      emptyOutDir: true,
      sourcemap: false,
      assetsInlineLimit: 0,
      // rewritten for older ones, light-dark() would not follow a light sheet on a dark page
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rollupOptions: { input },
    },
  }
}

/** A `.br` and a `.gz` beside each text file, so that the server never compresses. */
function precompress(folder: string): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(html|js|css|svg|webmanifest)$/.test(name)) continue
        const file = join(folder, name)
        const bytes = readFileSync(file)
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality))
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

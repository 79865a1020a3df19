import { join } from 'node:path'
import { defineConfig } from 'vite'
import { built } from './vite.config.ts'

/** The page of `faultline board edit`, built apart: nothing of it is in what the server hands out. */
export default defineConfig(
  built({ editor: join(import.meta.dirname, 'editor.html') }, 'dist-editor', 'assets/editor'),
)

/** The path that Bun gives to what lies inside a compiled executable. */
const inside = ['/$bunfs/', 'B:\\~BUN\\'].find(root => import.meta.dir.startsWith(root))
const root = inside ? `${inside}root` : `${import.meta.dir}/..`

/** Where the files lie that travel with the code; `build` in package.json puts them there. */
export const assets = {
  web: inside ? `${root}/dist` : `${root}/web/dist`,
  /** of `faultline board edit` alone: the server has none of it */
  editor: inside ? `${root}/dist-editor` : `${root}/web/dist-editor`,
  migrations: `${root}/drizzle`,
  /** pglite.wasm, pglite.data.gz and template.tar.gz */
  pglite: inside ? `${root}/pglite` : `${root}/dist/pglite`,
  boardThread: inside ? `${root}/server/board/thread.js` : `${root}/server/board/thread.ts`,
  databaseWorker: inside ? `${root}/server/embedded/worker.js` : `${root}/server/embedded/worker.ts`,
}

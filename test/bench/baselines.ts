/** What the product is measured against, each as a process of its own: `bun baselines.ts bytes|plain PORT FILE|URL`. */
import { readFileSync } from 'node:fs'
import { desc, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Elysia } from 'elysia'
import postgres from 'postgres'
import { defects, projects } from '../../server/db/schema.ts'

const [kind, port, source] = process.argv.slice(2)

/** The same bytes under the same headers from memory: nothing can be quicker in this runtime. */
function bytes() {
  const body = new Uint8Array(readFileSync(source!))
  const headers = new Headers(JSON.parse(readFileSync(`${source}.headers`, 'utf8')))
  Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response(body, { headers }) })
}

/** The same feed as one would write it in an afternoon: a query and its JSON for every request. */
function plain() {
  const db = drizzle(postgres(source!, { max: 10 }))
  new Elysia()
    .get('/api/defects', () =>
      db
        .select({
          id: defects.id,
          section_id: defects.sectionId,
          project_id: defects.projectId,
          project_name: projects.name,
          verbatim: defects.verbatim,
          reporter: defects.reporter,
          created_at: defects.createdAt,
        })
        .from(defects)
        .innerJoin(projects, eq(projects.id, defects.projectId))
        .orderBy(desc(defects.createdAt), desc(defects.id))
        .limit(50),
    )
    .listen({ port: Number(port), hostname: '127.0.0.1' })
}

if (kind === 'bytes') bytes()
else plain()

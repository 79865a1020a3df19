import { Elysia, t } from 'elysia'
import { answersUnder } from '../answer.ts'
import { shared } from '../auth/guards.ts'
import { coalesced } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import { Project, ProjectBody, ProjectQuery } from './model.ts'
import { findOrCreateProject, listProjects } from './service.ts'

export const projectRoutes = ({ db, board }: Pick<Deps, 'db' | 'board'>) => {
  const answer = answersUnder(board)
  const list = coalesced(async (asked: { q?: string; limit?: number }) =>
    answer(await listProjects(db, asked)),
  )

  return new Elysia({ name: 'projects' })
    .get(
      '/api/projects',
      ({ query: { q, limit }, request }) => {
        const asked = { q, limit: limit === undefined ? undefined : Number(limit) }
        return shared(request, () => list(asked))
      },
      { query: ProjectQuery, response: { 200: t.Array(Project) } },
    )
    .post(
      '/api/projects',
      async ({ body, status }) => {
        const { project, created } = await findOrCreateProject(db, body.name)
        return status(created ? 201 : 200, project)
      },
      { body: ProjectBody, response: { 200: Project, 201: Project } },
    )
}

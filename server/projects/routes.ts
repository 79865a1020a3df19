import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'
import { Project, ProjectBody, ProjectQuery } from './model.ts'
import { findOrCreateProject, listProjects } from './service.ts'

export const projectRoutes = ({ db }: Pick<Deps, 'db'>) =>
  new Elysia({ name: 'projects' })
    .get(
      '/api/projects',
      ({ query: { q, limit } }) =>
        listProjects(db, { q, limit: limit === undefined ? undefined : Number(limit) }),
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

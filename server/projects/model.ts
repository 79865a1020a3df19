import { t } from 'elysia'
import { Body, Text } from '../wire.ts'

export const Project = t.Object({ id: t.String({ format: 'uuid' }), name: t.String() })
export type Project = typeof Project.static

export const ProjectBody = Body({ name: Text('project-name', 'At most 120 characters.') })

export const ProjectQuery = t.Object({
  q: t.Optional(Text('search-text', 'Only names that contain this, in any case.')),
  limit: t.Optional(Text('limit-1000', '1 to 1000; without it all.')),
})

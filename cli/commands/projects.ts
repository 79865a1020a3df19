import type { Database } from '../../server/db/database.ts'
import { Refusal } from '../../server/errors.ts'
import { mergeProjects } from '../../server/projects/merge.ts'
import {
  type CountedProject,
  findProject,
  projectsWithCounts,
  renameProject,
} from '../../server/projects/service.ts'
import type { Command } from '../command.ts'
import { audit } from '../terminal/audit.ts'
import { open } from '../terminal/database.ts'
import { exit, Failure } from '../terminal/faults.ts'
import { json, quantity, table } from '../terminal/print.ts'

export function projects(program: Command) {
  const projects = program
    .command('projects')
    .description('the shared list of projects, with their defects counted')
    .option('--json', 'an array of {"id","name","defects"}')
    .examples('faultline projects')
    .runs(async io => {
      const listed = await projectsWithCounts(await open(io))
      if (io.json) return io.print(json(listed))
      if (!listed.length) return io.say('No projects yet.')
      const rows = listed.map(({ id, name, defects }) => [String(defects), name, id])
      const { bold, dim } = io.paint
      io.print(...table(rows, [{ align: 'right', paint: bold }, {}, { paint: dim }], io))
    })

  projects
    .command('rename')
    .description('gives a project another name, which no other may have')
    .argument('<project>', 'its id, or its name')
    .argument('<name>', 'the new name')
    .examples("faultline projects rename 'Hinge rework' 'Hinge'")
    .runs(async (io, project: string, name: string) => {
      const db = await open(io)
      const before = await existing(db, project)
      const renamed = await renameProject(db, before.id, name).catch(inWords)
      if (!renamed) throw missing(project)
      audit(io, 'project_renamed', { project: before.id, from: before.name, to: renamed.name })
      io.say(`"${before.name}" is now "${renamed.name}".`)
    })

  projects
    .command('merge')
    .description('moves all defects of a project into another one, and removes the project')
    .argument('<from>', 'the project that goes: its id, or its name')
    .argument('<into>', 'the project that stays: its id, or its name')
    .option('--dry-run', 'only say what would be done')
    .examples("faultline projects merge 'Hinge rework' Hinge --dry-run")
    .runs(async (io, from: string, into: string, { dryRun }: { dryRun?: boolean }) => {
      const db = await open(io)
      const [goes, stays] = [await existing(db, from), await existing(db, into)]
      if (goes.id === stays.id) throw new Failure('a project cannot be merged into itself', exit.usage)
      const moved = `${quantity(goes.defects, 'defect')} from "${goes.name}" to "${stays.name}"`
      if (dryRun) return io.say(`Would move ${moved}, and remove "${goes.name}".`)
      await mergeProjects(db, goes.id, stays.id)
      audit(io, 'project_merged', { project: goes.id, into: stays.id, defects: goes.defects })
      io.say(`Moved ${moved}, and removed "${goes.name}".`)
    })
}

async function existing(db: Database, idOrName: string): Promise<CountedProject> {
  const found = await findProject(db, idOrName)
  if (!found) throw missing(idOrName)
  return found
}

const missing = (project: string) =>
  new Failure(`there is no project "${project}": \`faultline projects\` lists them`, exit.usage)

function inWords(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  throw new Failure(error.faults.map(({ message }) => `the name ${message}`).join('\n'), exit.usage)
}

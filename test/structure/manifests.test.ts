import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { DCLinter } from 'dclint'
import { names } from '../../server/config/settings.ts'
import { type Manifests, manifests } from '../support/kubernetes.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const dockerfile = read('Dockerfile')
const settings: readonly string[] = names
const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })

test('the Compose file is one by the schema of Compose, and sets what there is', async () => {
  const told = linter.lintFiles([join(root, 'compose.yaml')], false)
  expect(told.flatMap(({ messages }) => messages).filter(({ rule }) => rule === 'invalid-schema')).toEqual([])
  const { services } = Bun.YAML.parse(read('compose.yaml')) as {
    services: { faultline: { environment: object } }
  }
  expect(Object.keys(services.faultline.environment).filter(name => !settings.includes(name))).toEqual([])
})

test('a Compose file with a misspelt key is found out', async () => {
  const misspelt = join(process.env.TMPDIR ?? '/tmp', `faultline-${process.pid}.compose.yaml`)
  await Bun.write(misspelt, read('compose.yaml').replace('read_only', 'readonly'))
  const told = linter.lintFiles([misspelt], false)
  await Bun.file(misspelt).delete()
  expect(told.flatMap(({ messages }) => messages).map(({ rule }) => rule)).toContain('invalid-schema')
})

const kubernetes = 'docs/operations/kubernetes.yaml'
const documents = Bun.YAML.parse(read(kubernetes)) as { kind: keyof Manifests }[]
const of = <Kind extends keyof Manifests>(kind: Kind) =>
  documents.find(document => document.kind === kind) as unknown as Manifests[Kind]

test('the Kubernetes manifest holds to the schemas, one of each kind', () => {
  expect(documents.map(({ kind }) => kind)).toEqual(Object.keys(manifests) as (keyof Manifests)[])
  const faults = documents.flatMap(document => [...Value.Errors(manifests[document.kind], document)])
  expect(faults.map(({ path, message, value }) => ({ path, message, value }))).toEqual([])
})

test('its parts find each other, and set what there is', () => {
  const { spec } = of('Deployment')
  const labels = spec.template.metadata.labels
  for (const selected of [
    spec.selector.matchLabels,
    of('Service').spec.selector,
    of('PodDisruptionBudget').spec.selector.matchLabels,
  ])
    expect(labels).toMatchObject(selected)
  const [container] = spec.template.spec.containers
  const [port] = container.ports
  expect([container.livenessProbe, container.readinessProbe].map(probe => probe.httpGet.port)).toEqual([
    port!.name,
    port!.name,
  ])
  expect(of('Service').spec.ports[0]?.targetPort).toBe(port!.name)
  expect(container.envFrom.map(from => (from.configMapRef ?? from.secretRef)?.name)).toEqual([
    of('ConfigMap').metadata.name,
    of('Secret').metadata.name,
  ])
  const set = { ...of('ConfigMap').data, ...of('Secret').stringData }
  expect(Object.keys(set).filter(name => !settings.includes(name))).toEqual([])
})

test('it leaves a pod time to drain, runs it as the image does, and asks for its health where it is told', () => {
  const { terminationGracePeriodSeconds, securityContext, containers } = of('Deployment').spec.template.spec
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
    Number(of('ConfigMap').data.DRAIN_SECONDS) + 15,
  )
  expect(dockerfile).toContain(`\nUSER ${securityContext.runAsUser}:${securityContext.runAsGroup}\n`)
  expect(dockerfile).toContain(`\nEXPOSE ${containers[0].ports[0]!.containerPort}\n`)
  expect(containers[0].livenessProbe.httpGet.path).toBe('/api/health?live')
  expect(containers[0].readinessProbe.httpGet.path).toBe('/api/health')
})

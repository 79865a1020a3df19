import { type Static, type TProperties, Type } from '@sinclair/typebox'

/**
 * As much of Kubernetes' own schemas as our manifest uses, by hand: npm has them only in packages of 20 MB that let
 * misspelt keys pass. What is not here is refused.
 */
const object = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })
const text = Type.String({ minLength: 1 })
const texts = Type.Record(Type.String(), Type.String())
const metadata = object({ name: Type.String({ pattern: '^[a-z0-9-]{1,63}$' }), labels: texts })
const selector = object({ matchLabels: texts })
const named = object({ name: text })
const quantity = Type.String({ pattern: '^\\d+(m|Mi|Gi)?$' })
const probe = object({
  httpGet: object({ path: Type.String({ pattern: '^/' }), port: Type.Union([text, Type.Integer()]) }),
  periodSeconds: Type.Integer({ minimum: 1 }),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
  failureThreshold: Type.Optional(Type.Integer({ minimum: 1 })),
})

const container = object({
  name: text,
  image: Type.String({ pattern: ':[^:]+$' }),
  ports: Type.Array(object({ name: Type.String({ maxLength: 15 }), containerPort: Type.Integer() })),
  envFrom: Type.Array(object({ configMapRef: Type.Optional(named), secretRef: Type.Optional(named) })),
  livenessProbe: probe,
  readinessProbe: probe,
  resources: object({
    requests: Type.Record(Type.String(), quantity),
    limits: Type.Record(Type.String(), quantity),
  }),
  securityContext: object({
    allowPrivilegeEscalation: Type.Literal(false),
    readOnlyRootFilesystem: Type.Literal(true),
    capabilities: object({ drop: Type.Tuple([Type.Literal('ALL')]) }),
  }),
})

const pod = object({
  terminationGracePeriodSeconds: Type.Integer(),
  automountServiceAccountToken: Type.Literal(false),
  enableServiceLinks: Type.Literal(false),
  securityContext: object({
    runAsNonRoot: Type.Literal(true),
    runAsUser: Type.Integer({ minimum: 1 }),
    runAsGroup: Type.Integer({ minimum: 1 }),
    seccompProfile: object({ type: Type.Literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: Type.Array(
    object({
      maxSkew: Type.Integer({ minimum: 1 }),
      topologyKey: text,
      whenUnsatisfiable: Type.Union([Type.Literal('ScheduleAnyway'), Type.Literal('DoNotSchedule')]),
      labelSelector: selector,
    }),
  ),
  containers: Type.Tuple([container]),
})

export const manifests = {
  Secret: object({
    apiVersion: Type.Literal('v1'),
    kind: Type.Literal('Secret'),
    metadata,
    type: Type.Literal('Opaque'),
    stringData: texts,
  }),
  ConfigMap: object({
    apiVersion: Type.Literal('v1'),
    kind: Type.Literal('ConfigMap'),
    metadata,
    data: texts,
  }),
  Deployment: object({
    apiVersion: Type.Literal('apps/v1'),
    kind: Type.Literal('Deployment'),
    metadata,
    spec: object({
      replicas: Type.Integer({ minimum: 2 }),
      selector,
      strategy: object({
        rollingUpdate: object({ maxSurge: Type.Integer(), maxUnavailable: Type.Integer() }),
      }),
      template: object({ metadata: object({ labels: texts }), spec: pod }),
    }),
  }),
  Service: object({
    apiVersion: Type.Literal('v1'),
    kind: Type.Literal('Service'),
    metadata,
    spec: object({
      selector: texts,
      ports: Type.Array(object({ name: text, port: Type.Integer(), targetPort: text })),
    }),
  }),
  PodDisruptionBudget: object({
    apiVersion: Type.Literal('policy/v1'),
    kind: Type.Literal('PodDisruptionBudget'),
    metadata,
    spec: object({ minAvailable: Type.Integer({ minimum: 1 }), selector }),
  }),
}

export type Manifests = { [Kind in keyof typeof manifests]: Static<(typeof manifests)[Kind]> }

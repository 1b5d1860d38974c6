import { operation } from '../operation.ts'
import { problems } from '../problems.ts'
import { oneOf, openObject, record } from '../scalars.ts'
import Type from '../type.ts'

export const getOpenapi = operation('GET /v1/openapi.json', {
  id: 'getOpenapi',
  summary: 'Read this contract',
  description:
    'Returns the canonical description of this service, in OpenAPI 3.1. The server validates requests with the same definitions.',
  access: 'open',
  responses: {
    200: {
      description: 'The contract.',
      body: openObject('OpenApiDocument', 'An OpenAPI 3.1 document.'),
      example: { openapi: '3.1.1', info: { title: 'Posthorn', version: '0.1.0' }, paths: {} },
    },
  },
})

export const getProblem = operation('GET /problems/{code}', {
  id: 'getProblem',
  summary: 'Read about a problem',
  description: 'Explains a problem of the catalogue. The `type` of a problem links here.',
  access: 'open',
  params: record('ProblemPath', {
    code: Type.String({ description: 'The code of the problem.', examples: ['queue_full'] }),
  }),
  responses: {
    200: {
      description: 'What the problem means and what to do about it.',
      body: record('ProblemExplanation', {
        code: Type.String({ description: 'The stable code.' }),
        status: Type.Integer({ description: 'The HTTP status of responses with this problem.' }),
        title: Type.String({ description: 'The problem in a few words.' }),
        explanation: Type.String({ description: 'What happened and what to do next.' }),
        retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
      }),
      example: { code: 'queue_full', ...problems.queue_full },
    },
  },
})

const metricsExample = '# TYPE posthorn_instances gauge\nposthorn_instances{status="connected"} 3\n'

/** Reasons for which a store takes no writes, with the next step for each. */
export const storeFailures = {
  store_unavailable:
    'The store does not respond or accepts no writes. See the log, or run `posthorn doctor`.',
  storage_full: 'The disk of the store is full. Free some space; the server then resumes by itself.',
  store_corrupt:
    'Parts of the store cannot be read because its data is damaged. Stop the server, check the disk, and restore a backup.',
  store_replaced:
    'The file of the store was removed or replaced while the server is running. Put the file back, or restart the server to ' +
    'use the present file.',
} as const

export type StoreFailureStatus = keyof typeof storeFailures
export type Readiness = 'ok' | 'starting' | 'stopping' | StoreFailureStatus

export const HealthStatus = oneOf(
  ['ok', 'starting', 'stopping', ...(Object.keys(storeFailures) as StoreFailureStatus[])],
  { title: 'HealthStatus', description: '`ok`, or the reason why the server is not ready.' },
)

const Health = record('Health', {
  status: HealthStatus,
  detail: Type.Optional(
    Type.String({
      description: 'What the operator can do, if the store is the cause.',
    }),
  ),
})

export const getHealth = operation('GET /healthz', {
  id: 'getHealth',
  summary: 'Check whether the process is alive',
  description:
    'Returns 200 as long as the process can respond at all. For liveness probes: if it fails, restart the process.',
  access: 'open',
  isHealthCheck: true,
  responses: { 200: { description: 'The process is alive.', body: Health, example: { status: 'ok' } } },
})

export const getReadiness = operation('GET /readyz', {
  id: 'getReadiness',
  summary: 'Check whether the server accepts requests',
  description:
    'Returns 200 when the store accepts writes and the server has taken charge of all its instances. For load balancers: ' +
    'returns 503 while the server starts or stops, and while it cannot write to the store, for example because the disk is ' +
    'full.',
  access: 'open',
  isHealthCheck: true,
  responses: {
    200: { description: 'The server accepts requests.', body: Health, example: { status: 'ok' } },
    503: {
      description: 'The server does not accept requests now.',
      body: Health,
      example: { status: 'storage_full', detail: storeFailures.storage_full },
    },
  },
})

export const getMetrics = operation('GET /metrics', {
  id: 'getMetrics',
  summary: 'Read the metrics',
  description:
    'Returns the metrics of this process in the Prometheus text format. API keys do not give access, because the metrics ' +
    'cover all organizations. The token for metrics gives access to nothing else, so you can give it to a monitoring system.',
  access: 'metrics',
  responses: {
    200: {
      description: 'The metrics.',
      media: { 'text/plain': { description: 'Prometheus text format 0.0.4.', example: metricsExample } },
    },
  },
})

export const serviceOperations = [getOpenapi, getProblem, getHealth, getReadiness, getMetrics] as const

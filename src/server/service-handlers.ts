import { type Handler, handler } from '../contract/handler.ts'
import {
  getHealth,
  getMetrics,
  getOpenapi,
  getProblem,
  getReadiness,
  type Readiness,
  storeFailures,
} from '../contract/operations/service-operations.ts'
import { Problem } from '../contract/problem.ts'
import { type ProblemCode, problems } from '../contract/problems.ts'
import type { HealthCheck } from './health/health-check.ts'
import type { Metrics } from './metrics/metrics.ts'
import { getServer } from './operations/get-server.ts'
import { gzip } from './responses/gzip.ts'

/** The operations on the service itself: its contract, its problems, its health. */
export function serviceHandlers({
  openapi,
  metrics,
  readiness,
  health,
}: {
  /** Makes the OpenAPI document. Called once, on the first request for it. */
  readonly openapi: () => Promise<object>
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
  readonly health: Pick<HealthCheck, 'read'>
}): Handler[] {
  return [
    openapiHandler(openapi),
    handler(getProblem, async ({ params }) => {
      if (!Object.hasOwn(problems, params.code)) throw new Problem('problem_not_found')
      return { status: 200, body: { code: params.code, ...problems[params.code as ProblemCode] } }
    }),
    handler(getHealth, async () => ({ status: 200, body: { status: 'ok' as const } })),
    handler(getReadiness, async () => {
      const status = await readiness()
      if (status === 'ok') return { status: 200, body: { status } }
      if (status === 'starting' || status === 'stopping') return { status: 503, body: { status } }
      return { status: 503, body: { status, detail: storeFailures[status] } }
    }),
    getServer(health),
    handler(getMetrics, async () => ({
      status: 200,
      mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      text: await metrics.text(),
    })),
  ]
}

/**
 * Writes and compresses the document once: it is open to all callers, and too large to be written for each of them. It is not written
 * before the first request for it, because few callers ever ask, and it takes megabytes.
 */
function openapiHandler(openapi: () => Promise<object>): Handler {
  const write = async () => {
    const text = JSON.stringify(await openapi())
    const [bytes, gzipped] = [Buffer.from(text), await gzip(text)]
    return { status: 200, mediaType: 'application/json; charset=utf-8', bytes, gzipped } as const
  }
  let contract: ReturnType<typeof write> | undefined
  return handler(getOpenapi, () => {
    contract ??= write().catch((error) => {
      contract = undefined
      throw error
    })
    return contract
  })
}

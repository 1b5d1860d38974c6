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
import type { WrittenContract } from './docs/print-contract.ts'
import type { HealthCheck } from './health/health-check.ts'
import type { Metrics } from './metrics/metrics.ts'
import { getServer } from './operations/get-server.ts'

/** The operations on the service itself: its contract, its problems, its health. */
export function serviceHandlers({
  openapi,
  metrics,
  readiness,
  health,
}: {
  /** Writes the OpenAPI document. Called on the first request for it, and again only if that failed. */
  readonly openapi: () => Promise<WrittenContract>
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
 * Has the document written and compressed once: it is open to all callers, and too large to be written for each of them. It is not
 * written before the first request for it, because few callers ever ask. Callers that ask meanwhile wait for the same one.
 */
function openapiHandler(openapi: () => Promise<WrittenContract>): Handler {
  const write = async () => {
    const { bytes, gzipped } = await openapi()
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

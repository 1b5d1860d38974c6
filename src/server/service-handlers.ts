import { type Handler, handler } from '../contract/handler.ts'
import { Problem, type ProblemCode, problems } from '../contract/problem.ts'
import {
  getHealth,
  getMetrics,
  getOpenapi,
  getProblem,
  getReadiness,
} from '../contract/service-operations.ts'
import type { Metrics } from './metrics.ts'

export type Readiness = 'ok' | 'starting' | 'stopping' | 'store_unavailable'

/** What the operations on the service itself are made from. */
export interface ServiceContext {
  readonly openapi: Record<string, unknown>
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
}

/** The operations on the service itself: its contract, its problems, its health. */
export function serviceHandlers({ openapi, metrics, readiness }: ServiceContext): Handler[] {
  // Written once: it is open to everybody, and too large to be written for each of them.
  const contract = {
    status: 200,
    mediaType: 'application/json; charset=utf-8',
    text: JSON.stringify(openapi),
  }
  return [
    handler(getOpenapi, async () => contract),
    handler(getProblem, async ({ params }) => {
      if (!Object.hasOwn(problems, params.code)) throw new Problem('problem_not_found')
      return { status: 200, body: { code: params.code, ...problems[params.code as ProblemCode] } }
    }),
    handler(getHealth, async () => ({ status: 200, body: { status: 'ok' } })),
    handler(getReadiness, async () => {
      const status = await readiness()
      return status === 'ok' ? { status: 200, body: { status } } : { status: 503, body: { status } }
    }),
    handler(getMetrics, async () => ({
      status: 200,
      mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      text: await metrics.text(),
    })),
  ]
}

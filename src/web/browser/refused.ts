import type { ProblemBody } from '../../contract/problem.ts'

/** The server refused a call: with a problem of the contract, or with something that the contract does not know. */
export class RefusedError extends Error {
  readonly status: number
  /** Null if the response is none of the contract's, for example from a proxy in between. */
  readonly problem: ProblemBody | null

  constructor(status: number, problem: ProblemBody | null) {
    super(problem?.detail ?? `HTTP ${status}`)
    this.status = status
    this.problem = problem
  }

  get code(): string | undefined {
    return this.problem?.code
  }
}

/** Reads a response that is no success. */
export async function refusalOf(response: Response): Promise<RefusedError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  return new RefusedError(response.status, isProblem ? ((await response.json()) as ProblemBody) : null)
}

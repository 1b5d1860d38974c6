import type { ResponseParameters } from '@grammyjs/types'

/** A refused call. The code is both `error_code` and the status of the HTTP response. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: ResponseParameters | undefined

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export function badRequest(what: string, parameters?: ResponseParameters): Refusal {
  return new Refusal(400, `Bad Request: ${what}`, parameters)
}

export function forbidden(what: string): Refusal {
  return new Refusal(403, `Forbidden: ${what}`)
}

export function tooManyRequests(retryAfter: number): Refusal {
  const parameters = { retry_after: retryAfter }
  return new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, parameters)
}

export const unauthorized = () => new Refusal(401, 'Unauthorized')
export const notFound = (detail = '') => new Refusal(404, `Not Found${detail}`)

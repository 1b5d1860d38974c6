import type { NetworkError } from '../../../networks/driver/outcome.ts'

/** A message that was settled as failed without an attempt. */
export interface RefusedUnsent {
  readonly id: string
  readonly instance: number
  readonly error: NetworkError
}

import type { OpenApiInput } from '../../contract/openapi/openapi.ts'
import { inChild } from '../../runtime/system/in-child.ts'

/** The OpenAPI document as it is sent. */
export interface WrittenContract {
  readonly bytes: Buffer
  /** The same bytes for callers that accept gzip. */
  readonly gzipped: Buffer
}

/** Writes the contract, in a child process that ends. It sees of the networks what JSON keeps of them, as callers do. */
export function writeContract(input: OpenApiInput): Promise<WrittenContract> {
  return inChild(new URL('./print-contract.ts', import.meta.url), { input: JSON.stringify(input) })
}

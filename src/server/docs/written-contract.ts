import type { OpenApiInput } from '../../contract/openapi/openapi.ts'
import { inChild } from '../../runtime/system/in-child.ts'
import type { WrittenContract } from './print-contract.ts'

/** Writes the contract, in a child process that ends. It sees of the networks what JSON keeps of them, as callers do. */
export function writeContract(input: OpenApiInput): Promise<WrittenContract> {
  return inChild(new URL('./print-contract.ts', import.meta.url), { input: JSON.stringify(input) })
}

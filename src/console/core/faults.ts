import { RefusedError } from './api.ts'

/** Why the server refused values, by their JSON pointers. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof RefusedError ? error.problem?.errors : undefined
  return new Map(errors?.map(({ pointer, detail }) => [pointer, detail]))
}

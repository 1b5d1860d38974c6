import { type ComponentChildren, h } from 'preact'
import { RefusedError } from '../core/api.ts'
import { faultText } from '../words/server-texts.ts'
import { ServerText } from './server-text.ts'

/** Reasons why the server refused values, by their JSON pointers. */
export type Faults = ReadonlyMap<string, ComponentChildren>

/** Returns the reasons why the server refused values. */
export function faultsOf(error: unknown): Faults {
  const errors = error instanceof RefusedError ? error.problem?.errors : undefined
  return new Map(errors?.map((fault) => [fault.pointer, h(Fault, fault)]))
}

/** The reason why the server refused a value. */
export function Fault(fault: { readonly code: string; readonly detail: string }) {
  return h(ServerText, { text: faultText(fault), detail: fault.detail })
}

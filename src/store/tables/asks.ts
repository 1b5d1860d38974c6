import { bigint, bytes, nullable, textColumn } from './columns.ts'

export const askTables = {
  /** Questions of nodes to the one that runs an instance, because only that one can do what they ask. Rows live for a minute. */
  asks: {
    id: textColumn(),
    /** The node that is asked. */
    node: textColumn(),
    instance_id: textColumn(),
    /** The name of a task (`instances/lifecycle/tasks.ts`). */
    task: textColumn(),
    /** Sealed JSON: it may hold what a person has typed. */
    argument: bytes(),
    /** Sealed JSON; null until it is answered. */
    answer: nullable(bytes()),
    expires_at: bigint(),
  },
}

/**
 * An operation: its verb, its path, and letters for what is special. `i` takes an Idempotency-Key, `q` a query and `b` a body;
 * `p` returns pages, `f` a file and `t` text; `r` also returns its state with the status 503.
 */
export type OperationRow = readonly [method: string, path: string, flags: string]

export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationRow>>>>

/*
 * W3C Trace Context (https://www.w3.org/TR/trace-context): `traceparent` names a trace and the part of it that a request belongs to, and
 * `tracestate` has what vendors add. Posthorn makes no parts of its own; it passes both on.
 */

/** A trace context as headers; empty for none. */
export interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Version, trace, parent and flags. The version ff, and ids of zeros, are invalid. */
const parent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
/** Visible characters, spaces and tabs. The specification asks for 512 to be passed on at least. */
const state = /^[\x21-\x7e \t]{1,512}$/

/** Returns the trace context in the headers of a request as one text, to be kept; null if there is none or it is invalid. */
export function traceContext({ traceparent, tracestate }: Headers): string | null {
  if (traceparent === undefined) return null
  if (typeof traceparent !== 'string' || !parent.test(traceparent)) return null
  return typeof tracestate === 'string' && state.test(tracestate)
    ? `${traceparent}\n${tracestate}`
    : traceparent
}

/** Returns a trace context that was kept as headers. */
export function traceHeaders(trace: string | null): TraceHeaders {
  if (trace === null) return {}
  const [traceparent = '', tracestate] = trace.split('\n')
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate }
}

/** Returns the id of the trace of a request; undefined if it has none. */
export function traceIdIn(headers: Headers): string | undefined {
  return traceContext(headers)?.split('-')[1]
}

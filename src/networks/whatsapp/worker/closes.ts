import { NetFailure } from '../../../net/failure.ts'
import type { Close } from '../disconnects.ts'
import { statusOf } from './baileys/acknowledgements.ts'

/** Returns the library's report of the end of a socket, as plain data. */
export function closeOf(error: unknown, isProxied: boolean): Close {
  const { message = '', data } = (error ?? {}) as { message?: unknown; data?: unknown }
  const { attrs, code } = (data ?? {}) as { attrs?: unknown; code?: unknown }
  return {
    status: statusOf(error),
    message: String(message),
    attrs: textsIn(attrs ?? data),
    socketError: data instanceof NetFailure ? data.reason : typeof code === 'string' ? code : null,
    isProxied,
  }
}

/** The texts among the fields of an object; nothing else can be passed on safely. */
function textsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === 'string'))
}

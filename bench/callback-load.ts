import type { LoadReport } from './load.ts'
import { runModule } from './process.ts'

/** Secret that the callbacks of the load are signed with. */
export const callbackSecret = 'a-secret-of-the-app'

/** Destination of callbacks, and their subject. */
export interface CallbackTarget {
  readonly path: string
  /** The id of the phone number. */
  readonly number: string
}

export interface CallbackLoad {
  readonly url: string
  readonly targets: readonly CallbackTarget[]
  readonly seconds: number
  /** Over how many connections they come; 64 without it. */
  readonly connections?: number
  /** Callbacks per second, independent of the responses. */
  readonly rate?: number
}

/**
 * Posts callbacks of the WhatsApp Cloud API as Meta does, each with a text of its own, from a process of its own. Throws if anything was
 * answered but 200.
 */
export async function postCallbacks(load: CallbackLoad): Promise<LoadReport> {
  const { url, targets, seconds, connections, rate } = load
  const order = JSON.stringify({ url, targets, seconds, connections, rate })
  return JSON.parse(await runModule('./callback-load-process.ts', [order])) as LoadReport
}

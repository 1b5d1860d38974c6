import { DisconnectReason } from 'baileys'

/** The status code that the library gives an error, or null. */
export function statusOf(error: unknown): number | null {
  const output = (error as { output?: { statusCode?: unknown } } | null | undefined)?.output
  return typeof output?.statusCode === 'number' ? output.statusCode : null
}

/** The code with which WhatsApp refused a question; null if it did not. */
export function refusalOf(error: unknown): number | null {
  const data = (error as { data?: unknown } | null | undefined)?.data
  return typeof data === 'number' ? data : null
}

/** Whether the library gave up waiting. */
export function isTimeout(error: unknown): boolean {
  return statusOf(error) === DisconnectReason.timedOut
}

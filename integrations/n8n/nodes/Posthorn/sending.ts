import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow'
import { keyOf } from './idempotency'

/** Carries out an operation for one item. */
export type Operation = (
  functions: IExecuteFunctions,
  itemIndex: number,
) => Promise<IDataObject | IDataObject[]>

interface SendOptions {
  readonly clientRef?: string
  readonly expiresAt?: string
  readonly idempotencyKey?: string
  readonly mentions?: unknown
  readonly metadata?: { readonly label?: readonly { readonly name: string; readonly value: string }[] }
  readonly replyTo?: string
  readonly sendAt?: string
  readonly topic?: string
  readonly wait?: number
}

/** The fields that all messages have. */
export function sendingFields(functions: IExecuteFunctions, itemIndex: number): IDataObject {
  const { clientRef, metadata, replyTo, topic, sendAt, expiresAt } = optionsOf(functions, itemIndex)
  const labels = metadata?.label ?? []
  return {
    instance: textIn(functions, 'instance', itemIndex),
    to: textIn(functions, 'to', itemIndex),
    ...(replyTo && { reply_to: replyTo.trim() }),
    ...(topic && { topic: String(topic).trim() }),
    ...(clientRef && { client_ref: clientRef }),
    ...(labels.length > 0 && {
      metadata: Object.fromEntries(labels.map(({ name, value }) => [name, value])),
    }),
    ...(sendAt && { send_at: momentOf(functions, sendAt, itemIndex) }),
    ...(expiresAt && { expires_at: momentOf(functions, expiresAt, itemIndex) }),
  }
}

/** The people whom a text or a caption mentions. */
export function mentionsIn(functions: IExecuteFunctions, itemIndex: number): IDataObject {
  const mentions = listOf(optionsOf(functions, itemIndex).mentions)
  return mentions.length > 0 ? { mentions } : {}
}

/** The headers by which a repetition is recognized, and the result is waited for. */
export function sendingHeaders(functions: IExecuteFunctions, itemIndex: number): Record<string, string> {
  const { idempotencyKey, wait } = optionsOf(functions, itemIndex)
  return {
    'Idempotency-Key': idempotencyKey || keyOf(functions, itemIndex),
    ...(wait && { Prefer: `wait=${Math.round(wait)}` }),
  }
}

const optionsOf = (functions: IExecuteFunctions, itemIndex: number) =>
  functions.getNodeParameter('options', itemIndex, {}) as SendOptions

/** The path of the message that an item names. */
export function pathOf(functions: IExecuteFunctions, itemIndex: number): string {
  const id = textIn(functions, 'messageId', itemIndex).trim()
  if (/^msg_\w+$/.test(id)) return `/v1/messages/${id}`
  throw new NodeOperationError(functions.getNode(), 'The message ID begins with msg_', { itemIndex })
}

/** A moment as Posthorn takes it. One without a time zone is in that of the workflow. */
export function momentOf(functions: IExecuteFunctions, value: string, itemIndex: number): string {
  try {
    const moment = tryToParseDateTime(value, functions.getTimezone()).toUTC().toISO()
    if (moment) return moment
  } catch {
    // Any value that is no moment is refused below.
  }
  throw new NodeOperationError(functions.getNode(), 'A time is not a date and time', { itemIndex })
}

/** A list from a text with commas, or from an expression that gives a list. */
export function listOf(given: unknown): string[] {
  const entries = Array.isArray(given) ? given.map(String) : String(given ?? '').split(',')
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '')
}

/** A parameter as a text. */
export function textIn(functions: IExecuteFunctions, name: string, itemIndex: number): string {
  return String(functions.getNodeParameter(name, itemIndex, '') ?? '')
}

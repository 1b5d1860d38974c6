import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow'
import { call, everyEntry } from './call'
import { keyOf } from './idempotency'
import { formOf } from './multipart'

/** Carries out an operation for one item. */
export type Operation = (
  functions: IExecuteFunctions,
  itemIndex: number,
) => Promise<IDataObject | IDataObject[]>

interface SendOptions {
  readonly clientRef?: string
  readonly expiresAt?: string
  readonly idempotencyKey?: string
  readonly metadata?: { readonly label?: readonly { readonly name: string; readonly value: string }[] }
  readonly sendAt?: string
  readonly wait?: number
}

interface FileFields {
  readonly caption?: string
  readonly filename?: string
  readonly voice?: boolean
}

const sendText: Operation = async (functions, itemIndex) => {
  const body = { ...sendingFields(functions, itemIndex), text: textIn(functions, 'text', itemIndex) }
  const headers = sendingHeaders(functions, itemIndex)
  return call(functions, { method: 'POST', path: '/v1/messages/text', body, headers, itemIndex })
}

const sendFile: Operation = async (functions, itemIndex) => {
  const options = functions.getNodeParameter('fileOptions', itemIndex, {}) as FileFields
  const fields = {
    ...sendingFields(functions, itemIndex),
    kind: textIn(functions, 'kind', itemIndex),
    ...(options.caption && { caption: options.caption }),
    ...(options.filename && { filename: options.filename }),
    ...(options.voice && { voice: true }),
  }
  const headers = sendingHeaders(functions, itemIndex)
  if (textIn(functions, 'source', itemIndex) === 'url') {
    const body = { ...fields, url: textIn(functions, 'url', itemIndex) }
    return call(functions, { method: 'POST', path: '/v1/messages/media', body, headers, itemIndex })
  }
  const property = textIn(functions, 'binaryPropertyName', itemIndex)
  const { fileName, mimeType } = functions.helpers.assertBinaryData(itemIndex, property)
  const named = fileName ? { filename: fileName, ...fields } : fields
  const bytes = await functions.helpers.getBinaryDataBuffer(itemIndex, property)
  const parts = Object.entries(named).map(([name, value]) => [name, partOf(value)])
  const form = formOf(Object.fromEntries(parts), { mimeType, bytes })
  return call(functions, {
    method: 'POST',
    path: '/v1/messages/media/upload',
    body: form.body,
    headers: { ...headers, 'Content-Type': form.type },
    itemIndex,
  })
}

const getMessage: Operation = (functions, itemIndex) =>
  call(functions, { method: 'GET', path: pathOf(functions, itemIndex), itemIndex })

const cancelMessage: Operation = (functions, itemIndex) =>
  call(functions, { method: 'POST', path: `${pathOf(functions, itemIndex)}/cancel`, itemIndex })

const listMessages: Operation = (functions, itemIndex) => {
  const filters = functions.getNodeParameter('filters', itemIndex, {}) as IDataObject
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  for (const name of ['created_after', 'created_before'])
    if (query[name]) query[name] = momentOf(functions, query[name] as string, itemIndex)
  const wanted = functions.getNodeParameter('returnAll', itemIndex, false)
    ? undefined
    : (functions.getNodeParameter('limit', itemIndex, 50) as number)
  return everyEntry(functions, { method: 'GET', path: '/v1/messages', query, itemIndex }, wanted)
}

export const messageOperations: Readonly<Record<string, Operation>> = {
  sendText,
  sendFile,
  get: getMessage,
  getAll: listMessages,
  cancel: cancelMessage,
}

/** The fields that all messages have. */
function sendingFields(functions: IExecuteFunctions, itemIndex: number): IDataObject {
  const { clientRef, metadata, sendAt, expiresAt } = optionsOf(functions, itemIndex)
  const labels = metadata?.label ?? []
  return {
    instance: textIn(functions, 'instance', itemIndex),
    to: textIn(functions, 'to', itemIndex),
    ...(clientRef && { client_ref: clientRef }),
    ...(labels.length > 0 && {
      metadata: Object.fromEntries(labels.map(({ name, value }) => [name, value])),
    }),
    ...(sendAt && { send_at: momentOf(functions, sendAt, itemIndex) }),
    ...(expiresAt && { expires_at: momentOf(functions, expiresAt, itemIndex) }),
  }
}

function sendingHeaders(functions: IExecuteFunctions, itemIndex: number): Record<string, string> {
  const { idempotencyKey, wait } = optionsOf(functions, itemIndex)
  return {
    'Idempotency-Key': idempotencyKey || keyOf(functions, itemIndex),
    ...(wait && { Prefer: `wait=${Math.round(wait)}` }),
  }
}

const optionsOf = (functions: IExecuteFunctions, itemIndex: number) =>
  functions.getNodeParameter('options', itemIndex, {}) as SendOptions

function pathOf(functions: IExecuteFunctions, itemIndex: number): string {
  const id = textIn(functions, 'messageId', itemIndex).trim()
  if (/^msg_\w+$/.test(id)) return `/v1/messages/${id}`
  throw new NodeOperationError(functions.getNode(), 'The message ID begins with msg_', { itemIndex })
}

/** A moment as Posthorn takes it. One without a time zone is in that of the workflow. */
function momentOf(functions: IExecuteFunctions, value: string, itemIndex: number): string {
  try {
    const moment = tryToParseDateTime(value, functions.getTimezone()).toUTC().toISO()
    if (moment) return moment
  } catch {
    // Any value that is no moment is refused below.
  }
  throw new NodeOperationError(functions.getNode(), 'A time is not a date and time', { itemIndex })
}

function textIn(functions: IExecuteFunctions, name: string, itemIndex: number): string {
  return String(functions.getNodeParameter(name, itemIndex, '') ?? '')
}

const partOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

import { call } from './call'
import { contentOperations } from './content-operations'
import { filtersOf, listed } from './lists'
import { formOf } from './multipart'
import {
  mentionsIn,
  momentOf,
  type Operation,
  pathOf,
  sendingFields,
  sendingHeaders,
  textIn,
} from './sending'

interface FileFields {
  readonly caption?: string
  readonly filename?: string
  readonly voice?: boolean
}

const sendText: Operation = async (functions, itemIndex) => {
  const body = {
    ...sendingFields(functions, itemIndex),
    ...mentionsIn(functions, itemIndex),
    text: textIn(functions, 'text', itemIndex),
  }
  const headers = sendingHeaders(functions, itemIndex)
  return call(functions, { method: 'POST', path: '/v1/messages/text', body, headers, itemIndex })
}

const sendFile: Operation = async (functions, itemIndex) => {
  const options = functions.getNodeParameter('fileOptions', itemIndex, {}) as FileFields
  const fields = {
    ...sendingFields(functions, itemIndex),
    ...mentionsIn(functions, itemIndex),
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

/** Returns that it is read: the server answers without a body. */
const markRead: Operation = async (functions, itemIndex) => {
  await call(functions, { method: 'POST', path: `${pathOf(functions, itemIndex)}/read`, itemIndex })
  return { read: true }
}

const listMessages: Operation = (functions, itemIndex) => {
  const query = filtersOf(functions, itemIndex)
  for (const name of ['created_after', 'created_before'])
    if (query[name]) query[name] = momentOf(functions, query[name] as string, itemIndex)
  return listed(functions, itemIndex, '/v1/messages', query)
}

export const messageOperations: Readonly<Record<string, Operation>> = {
  sendText,
  sendFile,
  ...contentOperations,
  get: getMessage,
  getAll: listMessages,
  cancel: cancelMessage,
  markRead,
}

const partOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

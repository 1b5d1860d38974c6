import {
  cancelMessage,
  getMessage,
  listMessages,
  markMessageRead,
} from '../../../contract/operations/message-operations.ts'
import type { Message } from '../../../contract/resources/message.ts'
import { type MessageStatus, messageStatuses } from '../../../contract/statuses.ts'
import { command, json, WrongUsage } from '../../command.ts'
import { type Cells, print, printJson, readableTime, tableOf } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { reportMessage } from './insist.ts'

/** Characters of a text in a table. */
const shownText = 40

const columns: Cells<Message> = {
  ID: ({ id }) => id,
  CREATED: ({ created_at }) => readableTime(Date.parse(created_at)),
  INSTANCE: ({ instance }) => instance,
  WITH: ({ conversation }) => conversation,
  STATUS: ({ status }) => status,
  CONTENT: (message) => firstWordsOf(message),
}

/** The beginning of a text, in one line; of other messages, their kind. */
export function firstWordsOf({ text, kind }: Message): string {
  return typeof text !== 'string' ? kind : text.replaceAll(/\s+/g, ' ').slice(0, shownText)
}

/** `posthorn messages list`: the newest. */
export const listMessagesCommand = command({
  name: 'messages list',
  summary: 'List the newest messages with their status.',
  options: {
    instance: { type: 'string', value: 'NAME', description: 'Only messages of this instance.' },
    status: { type: 'string', value: 'STATUS', description: 'Only messages that have this status now.' },
    limit: { type: 'string', value: 'NUMBER', description: 'How many, up to 200. By default, 20.' },
    ...{ ...serverOptions, json },
  },
  async run({ options: { instance, status, limit = '20', ...options } }) {
    if (status !== undefined && !messageStatuses.includes(status as MessageStatus))
      throw new WrongUsage(`--status is one of ${messageStatuses.join(', ')}, not "${status}"`)
    if (!/^\d+$/.test(limit)) throw new WrongUsage('--limit is a number, such as 50')
    const { client } = serverClient(options)
    const query = {
      limit: Number(limit),
      ...(instance !== undefined && { instance }),
      ...(status !== undefined && { status: status as MessageStatus }),
    }
    const { data } = (await client.call(listMessages, { query })).body
    if (options.json) printJson(data)
    else print(tableOf(data, columns))
  },
})

/** `posthorn messages show`: everything about one message. */
export const showMessage = command({
  name: 'messages show',
  summary: 'Show a message, with everything that is known about its delivery.',
  operands: ['ID'],
  options: serverOptions,
  async run({ operands: [id = ''], options }) {
    const { client } = serverClient(options)
    printJson((await client.call(getMessage, { params: { id } })).body)
  },
})

/** `posthorn messages cancel`: takes a message out of the queue. */
export const cancelMessageCommand = command({
  name: 'messages cancel',
  summary: 'Cancel a message that is still waiting.',
  operands: ['ID'],
  options: { ...serverOptions, json },
  async run({ operands: [id = ''], options }) {
    const { client } = serverClient(options)
    reportMessage((await client.call(cancelMessage, { params: { id } })).body, options.json)
  },
})

/** `posthorn messages read`: the conversation counts as read up to a message. */
export const readMessageCommand = command({
  name: 'messages read',
  summary: 'Mark a received message as read, and all earlier ones in its conversation.',
  operands: ['ID'],
  options: serverOptions,
  async run({ operands: [id = ''], options }) {
    const { client } = serverClient(options)
    await client.call(markMessageRead, { params: { id } })
    print(`${id} read`)
  },
})

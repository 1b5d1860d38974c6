import { listConversations } from '../../../contract/operations/conversation-operations.ts'
import { showTyping } from '../../../contract/operations/instance-operations.ts'
import type { Conversation } from '../../../contract/resources/conversation.ts'
import { type Command, command, json, WrongUsage } from '../../command.ts'
import { type Cells, print, printJson, readableTime, tableOf } from '../../output.ts'
import { everyPage } from '../../pages.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { firstWordsOf } from './messages.ts'

const columns: Cells<Conversation> = {
  INSTANCE: ({ instance }) => instance,
  WITH: ({ conversation }) => conversation,
  NAME: ({ name, username }) => name ?? username ?? '',
  UNREAD: ({ unread = 0 }) => (unread === 0 ? '' : String(unread)),
  LAST: ({ last_message }) => readableTime(Date.parse(last_message.created_at)),
  CONTENT: ({ last_message }) => firstWordsOf(last_message),
}

/** `posthorn conversations list`: the newest. */
const listCommand = command({
  name: 'conversations list',
  summary: 'List the conversations with their last messages, the newest first.',
  options: {
    instance: { type: 'string', value: 'NAME', description: 'Only conversations of this instance.' },
    search: { type: 'string', value: 'TEXT', description: 'Only those whose name or address contains this.' },
    unread: { type: 'boolean', description: 'Only those with unread messages.' },
    limit: { type: 'string', value: 'NUMBER', description: 'How many, up to 200. By default, 20.' },
    ...{ ...serverOptions, json },
  },
  async run({ options: { instance, search, unread, limit = '20', ...options } }) {
    if (!/^\d+$/.test(limit)) throw new WrongUsage('--limit is a number, such as 50')
    const { client } = serverClient(options)
    const filters = {
      ...(instance !== undefined && { instance }),
      ...(search !== undefined && { search }),
      ...(unread && { unread }),
    }
    const wanted = Number(limit)
    const { all } = await everyPage(
      (place, before) =>
        client.call(listConversations, { query: { ...filters, ...place, limit: wanted - before } }),
      wanted,
    )
    if (options.json) printJson(all)
    else print(tableOf(all, columns))
  },
})

/** `posthorn conversations typing`: shows a person that one writes to them. */
const typingCommand = command({
  name: 'conversations typing',
  summary: 'Show a person or a group that the account is typing, if the network can do that.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: {
    seconds: { type: 'string', value: 'NUMBER', description: 'For how long, up to 30. By default, 5.' },
    topic: { type: 'string', value: 'ID', description: 'The topic, by the topic.id of a message in it.' },
    ...serverOptions,
  },
  async run({ operands: [name = '', to = ''], options: { seconds = '5', topic, ...options } }) {
    if (!/^\d+$/.test(seconds)) throw new WrongUsage('--seconds is a number, such as 5')
    const { client } = serverClient(options)
    const place = { to, ...(topic !== undefined && { topic }) }
    await client.call(showTyping, { params: { name }, body: { ...place, seconds: Number(seconds) } })
    print(`typing to ${to}`)
  },
})

/** Commands about conversations. */
export const conversationCommands: readonly Command[] = [listCommand, typingCommand]

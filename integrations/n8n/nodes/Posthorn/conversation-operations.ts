import type { IDataObject } from 'n8n-workflow'
import { ask, call, refusal } from './call'
import { filtersOf, listed } from './lists'
import { type Operation, textIn } from './sending'

const listConversations: Operation = (functions, itemIndex) =>
  listed(functions, itemIndex, '/v1/conversations', filtersOf(functions, itemIndex))

/**
 * Marks the newest message that was received as read, and with it those before. `receipt_sent` is false if nothing was received, or if the network has
 * no read receipts: the server then counts them as read all the same.
 */
const markRead: Operation = async (functions, itemIndex) => {
  const query = {
    instance: textIn(functions, 'instance', itemIndex).trim(),
    conversation: textIn(functions, 'conversation', itemIndex).trim(),
    direction: 'inbound',
    limit: maxSearched,
  }
  const { data } = await call(functions, { method: 'GET', path: '/v1/messages', query, itemIndex })
  const newest = (data as IDataObject[]).find(({ kind }) => !uncounted.has(kind as string))
  if (!newest) return { read: true, receipt_sent: false }
  const called = await ask(functions, { method: 'POST', path: `/v1/messages/${newest.id}/read`, itemIndex })
  const isSent = called.status < 300
  if (!isSent && called.body?.code !== 'not_supported_by_network') throw refusal(functions, called, itemIndex)
  return { read: true, receipt_sent: isSent }
}

/** Messages among which the newest is looked for that counts as unread. */
const maxSearched = 100
/** Kinds that do not count as unread. */
const uncounted = new Set(['reaction', 'retraction'])

export const conversationOperations: Readonly<Record<string, Operation>> = {
  getAll: listConversations,
  markRead,
}

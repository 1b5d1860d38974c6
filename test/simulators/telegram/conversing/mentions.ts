import type { MessageEntity, User } from '@grammyjs/types'
import type { CallParameters } from '../parameters.ts'
import { badRequest } from '../refusal.ts'

/**
 * The people whom a text links to. Telegram leaves out those whom the bot has never met, and says nothing about it
 * (core.telegram.org/bots/api#formatting-options).
 */
export function mentionsIn(
  people: ReadonlyMap<number, User>,
  parameters: CallParameters,
  name: 'entities' | 'caption_entities',
) {
  const entities = parameters.json(name)
  if (entities === undefined) return {}
  if (!Array.isArray(entities)) throw badRequest("can't parse entities: expected an Array of MessageEntity")
  const text = parameters.text(name === 'entities' ? 'text' : 'caption') ?? ''
  const mentions = (entities as MessageEntity[]).flatMap((entity) => {
    if (entity.type !== 'text_mention') throw badRequest("can't parse MessageEntity: unexpected type")
    const { offset, length, user } = entity
    if (offset < 0 || length < 1 || offset + length > text.length)
      throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${offset}`)
    return people.has(user.id) ? [user.id] : []
  })
  return mentions.length > 0 ? { mentions } : {}
}

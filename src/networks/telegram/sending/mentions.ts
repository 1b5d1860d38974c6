/** A link to a person in a text (https://core.telegram.org/bots/api#messageentity), in UTF-16 units. */
interface MentionEntity {
  readonly type: 'text_mention'
  readonly offset: number
  readonly length: number
  readonly user: { readonly id: number; readonly is_bot: false; readonly first_name: string }
}

/** Entities that a message may have. */
const maxEntities = 100
const idsInText = /@(\d{1,16})(?!\d)/g

/** As `Driver.mentionFault`: Telegram itself links user names. */
export function mentionFault(address: string, text: string): string | null {
  const isName = address.startsWith('@')
  const named = text.toLowerCase().matchAll(isName ? /@\w+/g : idsInText)
  if ([...named].some(([written]) => written === (isName ? address.toLowerCase() : `@${address}`)))
    return null
  return 'Telegram mentions a person only where the text says so. Write `@` and their id, or their user name, in it.'
}

/**
 * Links each `@` with the id of a person whom the text mentions to that person. Telegram itself links `@` with a user name. It
 * leaves out people whom the bot has never met.
 */
export function mentionEntities(text: string, mentions: readonly string[] = []): MentionEntity[] {
  const people = new Set(mentions.filter((address) => /^\d+$/.test(address)))
  if (people.size === 0) return []
  const entities = [...text.matchAll(idsInText)].flatMap(({ index, 0: written, 1: id = '' }) => {
    if (!people.has(id)) return []
    const user = { id: Number(id), is_bot: false, first_name: id } as const
    return [{ type: 'text_mention', offset: index, length: written.length, user } as const]
  })
  return entities.slice(0, maxEntities)
}

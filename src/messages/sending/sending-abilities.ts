import type { InvalidValue } from '../../contract/problem.ts'
import type { MessageContent } from '../../contract/resources/content.ts'
import { type SendingAbility, sendingAbilityMeanings } from '../../contract/statuses.ts'
import type { Driver, ParsedAddress } from '../../networks/driver/driver.ts'

/** The fault of a field that a network cannot send; none if it can. */
export function needs(driver: Driver, ability: SendingAbility, pointer: string): InvalidValue[] {
  if (driver.abilities.sends.includes(ability)) return []
  const what = sendingAbilityMeanings[ability].replace(/\.$/, '')
  const detail = `${driver.title} cannot send ${what}, which needs the ability \`${ability}\`: \`abilities.sends\` of \`GET /v1/networks\` lists those that each network has.`
  return [{ pointer, code: 'not_supported', detail }]
}

interface Extras {
  readonly reply_to?: string | undefined
  readonly mentions?: readonly string[] | undefined
  readonly topic?: string | undefined
  readonly text?: unknown
  readonly caption?: unknown
}

/** The faults of what any message may have besides its content; `recipient` as far as it is given. */
export function abilityFaults(
  body: Extras,
  driver: Driver,
  recipient: ParsedAddress | undefined,
): InvalidValue[] {
  const { reply_to, mentions = [], topic } = body
  const text = [body.text, body.caption].find((part) => typeof part === 'string') ?? ''
  const invalid = mentions.flatMap((mention, index): InvalidValue[] => {
    const pointer = `/mentions/${index}`
    const address = driver.parseAddress(mention)
    if (!address.ok) return [{ pointer, code: 'recipient_invalid', detail: address.detail }]
    const detail = driver.mentionFault?.(address.address, text) ?? null
    return detail === null ? [] : [{ pointer, code: 'mention_not_in_text', detail }]
  })
  return [
    ...(reply_to === undefined ? [] : needs(driver, 'reply', '/reply_to')),
    ...(mentions.length === 0 ? [] : mentionsFaults(driver, recipient)),
    ...(topic === undefined ? [] : topicFaults(topic, driver)),
    ...invalid,
  ]
}

function mentionsFaults(driver: Driver, recipient: ParsedAddress | undefined): InvalidValue[] {
  const unable = needs(driver, 'mention', '/mentions')
  const isPerson = recipient?.ok === true && driver.isGroup?.(recipient.address) === false
  return unable.length > 0 || !isPerson ? unable : [mentionsToPerson]
}

const mentionsToPerson: InvalidValue = {
  pointer: '/mentions',
  code: 'not_allowed',
  detail: 'Messages mention people in groups, and this recipient is a person. Leave `mentions` out.',
}

/** The people whom a message mentions, each spelled in one way. */
export function mentionsIn({ mentions = [] }: Extras, driver: Driver): Pick<MessageContent, 'mentions'> {
  const addresses = mentions.flatMap((mention) => {
    const address = driver.parseAddress(mention)
    return address.ok ? address.address : []
  })
  return addresses.length > 0 ? { mentions: [...new Set(addresses)] } : {}
}

/** The faults of a topic that a message is to be shown in. */
export function topicFaults(topic: string, driver: Driver): InvalidValue[] {
  const able = needs(driver, 'topic', '/topic')
  if (able.length > 0) return able
  const detail = driver.contentFault?.({ topic }) ?? null
  return detail === null ? [] : [{ pointer: '/topic', code: 'not_supported', detail }]
}

/** The topic that a message is to be shown in: the one that is named, or else that of the message that it replies to. */
export function topicToSend(
  { topic }: Extras,
  replied: MessageContent['topic'] | null,
  driver: Driver,
): Pick<MessageContent, 'topic'> {
  if (!driver.abilities.sends.includes('topic')) return {}
  if (topic !== undefined && topic !== replied?.id) return { topic: { id: topic, name: null } }
  return replied ? { topic: replied } : {}
}

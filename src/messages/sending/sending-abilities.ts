import type { InvalidValue } from '../../contract/problem.ts'
import type { MessageContent } from '../../contract/resources/content.ts'
import { type SendingAbility, sendingAbilityMeanings } from '../../contract/statuses.ts'
import type { Driver } from '../../networks/driver/driver.ts'

/** The fault of a field that a network cannot send; none if it can. */
export function needs(driver: Driver, ability: SendingAbility, pointer: string): InvalidValue[] {
  if (driver.abilities.sends.includes(ability)) return []
  const what = sendingAbilityMeanings[ability].replace(/\.$/, '')
  const detail = `${driver.title} cannot send ${what}. \`abilities.sends\` of \`GET /v1/networks\` lists what each network can.`
  return [{ pointer, code: 'not_supported', detail }]
}

interface Extras {
  readonly reply_to?: string | undefined
  readonly mentions?: readonly string[] | undefined
}

/** The faults of what any message may have besides its content. */
export function abilityFaults({ reply_to, mentions = [] }: Extras, driver: Driver): InvalidValue[] {
  const invalid = mentions.flatMap((mention, index) => {
    const address = driver.parseAddress(mention)
    return address.ok
      ? []
      : { pointer: `/mentions/${index}`, code: 'recipient_invalid', detail: address.detail }
  })
  return [
    ...(reply_to === undefined ? [] : needs(driver, 'reply', '/reply_to')),
    ...(mentions.length === 0 ? [] : needs(driver, 'mention', '/mentions')),
    ...invalid,
  ]
}

/** The people whom a message mentions, each spelled in one way. */
export function mentionsIn({ mentions = [] }: Extras, driver: Driver): Pick<MessageContent, 'mentions'> {
  const addresses = mentions.flatMap((mention) => {
    const address = driver.parseAddress(mention)
    return address.ok ? address.address : []
  })
  return addresses.length > 0 ? { mentions: [...new Set(addresses)] } : {}
}

import { type ComponentChildren, h } from 'preact'

/** The names of people by their addresses; an address that is not known stays as it is. */
export type NameOf = (address: string) => string

/** The ways in which a text names a person: by the address, or by its part before an `@`. */
function tokensOf(address: string): readonly string[] {
  const part = address.split('@')[0] ?? ''
  return part === '' || part === address ? [address] : [address, part]
}

const escaped = (token: string) => token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** The parts of a text, those with an address naming that person. */
function partsOf(text: string, mentions: readonly string[]) {
  const byToken = new Map(
    mentions.flatMap((address) => tokensOf(address).map((token) => [token, address] as const)),
  )
  if (byToken.size === 0) return [{ part: text, address: undefined }]
  const tokens = [...byToken.keys()].sort((a, b) => b.length - a.length).map(escaped)
  return text
    .split(new RegExp(`@(${tokens.join('|')})(?![\\p{L}\\p{N}@])`, 'gu'))
    .map((part, at) => ({ part, address: at % 2 === 1 ? byToken.get(part) : undefined }))
}

/** A text with the names of the people whom it mentions, and those whom it does not name. */
export function withNames(text: string, mentions: readonly string[], nameOf: NameOf) {
  const left = new Set(mentions)
  const words = partsOf(text, mentions).map(({ part, address }, at): ComponentChildren => {
    if (address === undefined) return part
    left.delete(address)
    return h('span', { key: at, class: 'mention', title: address }, `@${nameOf(address)}`)
  })
  return { words, left: [...left] }
}

/** The same as nothing but text, for one line. An address whose name is not known stays as it was written. */
export function namedText(text: string, mentions: readonly string[], nameOf: NameOf): string {
  const said = ({ part, address }: ReturnType<typeof partsOf>[number]) => {
    if (address === undefined) return part
    const name = nameOf(address)
    return name === address ? `@${part}` : `@${name}`
  }
  return partsOf(text, mentions).map(said).join('')
}

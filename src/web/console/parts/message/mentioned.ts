import { type ComponentChildren, h } from 'preact'

/** The names of people by their addresses; an address that is not known stays as it is. */
export type NameOf = (address: string) => string

/** The ways in which a text names a person: by the address, or by its part before an `@`. */
function tokensOf(address: string): readonly string[] {
  const part = address.split('@')[0] ?? ''
  return part === '' || part === address ? [address] : [address, part]
}

const escaped = (token: string) => token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** A text with the names of the people whom it mentions, and those whom it does not name. */
export function withNames(text: string, mentions: readonly string[], nameOf: NameOf) {
  const byToken = new Map(
    mentions.flatMap((address) => tokensOf(address).map((token) => [token, address] as const)),
  )
  const left = new Set(mentions)
  if (byToken.size === 0) return { words: [text] as ComponentChildren[], left: [] }
  const tokens = [...byToken.keys()].sort((a, b) => b.length - a.length).map(escaped)
  const words = text.split(new RegExp(`@(${tokens.join('|')})(?![\\p{L}\\p{N}@])`, 'gu')).map((part, at) => {
    const address = at % 2 === 1 ? byToken.get(part) : undefined
    if (address === undefined) return part
    left.delete(address)
    return h('span', { key: at, class: 'mention', title: address }, `@${nameOf(address)}`)
  })
  return { words: words as ComponentChildren[], left: [...left] }
}

import { h } from 'preact'
import { useState } from 'preact/hooks'
import { urlOf } from '../core/api.ts'
import { Icon } from './icon.ts'

/** Pictures that could not be had, by their URLs, and when: they are not asked for again at once. */
const missing = new Map<string, number>()
/** Milliseconds after which they are asked for again, and the most of them that are noted. */
const askAgainAfter = 10 * 60 * 1000
const maxMissing = 2_000

interface AvatarProps {
  readonly instance: string
  readonly address: string
  readonly name: string | null
  readonly isGroup: boolean
  /** True if the network has pictures of people and groups. */
  readonly hasPicture: boolean
}

/**
 * The picture of a person or a group, from this server alone, and over their initials: those stay if there is none. It is loaded once
 * it is about to be seen.
 */
export function Avatar({ instance, address, name, isGroup, hasPicture }: AvatarProps) {
  const url = hasPicture ? pictureOf(instance, address) : undefined
  const [failed, setFailed] = useState<string>()
  const isShown = url !== undefined && failed !== url && !isMissing(url)
  const onError = () => {
    if (url === undefined) return
    if (missing.size >= maxMissing) missing.clear()
    missing.set(url, Date.now())
    setFailed(url)
  }
  const initials = initialsOf(name)
  return h(
    'span',
    { class: `avatar ${toneOf(address)}`, 'aria-hidden': true },
    initials && !isGroup ? initials : h(Icon, { name: isGroup ? 'people' : 'person' }),
    isShown && h('img', { key: url, src: url, alt: '', loading: 'lazy', decoding: 'async', onError }),
  )
}

/** The colours of people: a person has the same one everywhere. */
const maxTones = 5

/** Returns the class of the colour of a person. */
export function toneOf(address: string): string {
  let sum = 0
  for (const character of address.toLowerCase()) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return `tone-${sum % maxTones}`
}

/** The picture's place on this server; undefined for an address that no URL can have. */
function pictureOf(instance: string, address: string): string | undefined {
  try {
    return urlOf('getContactPicture', { params: { name: instance, address } }).href
  } catch {
    return undefined
  }
}

function isMissing(url: string): boolean {
  const at = missing.get(url)
  return at !== undefined && Date.now() - at < askAgainAfter
}

/** The first letters of the first and the last word of a name; null if it has none. */
function initialsOf(name: string | null): string | null {
  const words = name?.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => word?.match(/^\p{L}\p{M}*|^\p{N}/u)?.[0] ?? '',
  )
  return letters.join('').toLocaleUpperCase() || null
}

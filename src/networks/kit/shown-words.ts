import { cutText } from './received-text.ts'

/** UTF-16 units that are shown. */
const longest = 200

/** Replacement of a secret. With nothing in its place, the text around it could form the secret again. */
const hidden = '…'

/** Makes what a network answered fit to be shown: without the secrets that were sent to it, which it may repeat. */
export class ShownWords {
  readonly #secrets: RegExp | null

  /** Each secret is to be long enough that no other word contains it. */
  constructor(secrets: readonly string[]) {
    const spelled = secrets.filter((secret) => secret !== '').map(spellings)
    this.#secrets = spelled.length === 0 ? null : new RegExp(spelled.join('|'), 'gi')
  }

  /** In one line, of at most 200 UTF-16 units. */
  of(said: string): string {
    const line = this.#hide(said).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    return cutText(line.trim(), longest)
  }

  /** True if the words contain a secret. */
  hasSecret(said: string): boolean {
    return this.#hide(said) !== said
  }

  #hide(said: string): string {
    return this.#secrets === null ? said : said.replace(this.#secrets, hidden)
  }
}

/**
 * A pattern for a secret in which each character may be written as such, as in a URL, as in JSON or as in HTML. Everything that repeats
 * is bounded, so that a hostile text does not take long.
 */
function spellings(secret: string): string {
  return Array.from(secret, (character) => {
    const code = character.charCodeAt(0)
    const hex = code.toString(16)
    const literal = `\\\\{0,4}${RegExp.escape(character)}`
    const inUrl = `%(?:25){0,3}${hex.padStart(2, '0')}`
    const inJson = `\\\\{1,4}u${hex.padStart(4, '0')}`
    const inHtml = `&(?:amp;){0,3}#(?:0{0,6}${code}|x0{0,6}${hex});`
    return `(?:${[literal, inUrl, inJson, inHtml].join('|')})`
  }).join('')
}

import type { EventType } from '../../contract/resources/event.ts'
import type { SourceNetwork } from './source-networks.ts'

/** A webhook of an account at another gateway, in our words. */
export interface SourceWebhook {
  readonly url: string
  /** Our events for those that it gets there; null for all. Empty if there is none for any of them. */
  readonly events: readonly EventType[] | null
}

/** An account as another gateway has it. */
export interface SourceAccount extends SourceNetwork {
  /** Its name there. */
  readonly name: string
  /** Its status, in the words of the other gateway. */
  readonly status: string
  readonly metadata: Readonly<Record<string, string>>
  readonly webhooks: readonly SourceWebhook[]
  /** All that it has there and would not have here, in words of ours and names of theirs. */
  readonly gaps: readonly string[]
}

/** Reads a path of the other gateway. */
export interface SourceServer {
  /** The JSON with which it answers, or undefined if that is empty. Throws a `Refusal` for any other answer. */
  read(path: string): Promise<unknown>
  /** The same, or the status with which the server said no. */
  readOrStatus(path: string): Promise<{ readonly value: unknown } | { readonly status: number }>
}

/** A gateway from which accounts can be carried over. */
export interface SourceGateway {
  readonly name: string
  /** Its word in commands. */
  readonly word: string
  /** The document that says how to come from there. */
  readonly guide: string
  /** The environment variable that may hold its key. */
  readonly keyVariable: string
  /** The header in which it takes its key. */
  readonly keyHeader: string
  /** The label of an instance that holds the name of the account there, by which a later run finds it. */
  readonly label: string
  /** All of its accounts. Throws a `Refusal` if the server does not answer as this gateway does. */
  accountsOf(server: SourceServer): Promise<readonly SourceAccount[]>
}

/** Accounts that are carried over at most, so that a server cannot make us create instances without end. */
const maxAccounts = 1_000
/** Characters of a name or a word of the other gateway that are read at most. */
const maxWord = 200
/** Webhooks of an account, and events of a webhook, that are read at most. */
const maxListed = 100

export type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON object; undefined for any other value. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** The entries of a list, as objects; undefined if it is no such list, or too long to be one. */
export function accountsIn(value: unknown): readonly Fields[] | undefined {
  if (!Array.isArray(value) || value.length > maxAccounts) return undefined
  const entries = entriesIn(value)
  return entries.length === value.length ? entries : undefined
}

/** The entries of a list that are objects. */
export function entriesIn(list: readonly unknown[]): Fields[] {
  return list.map(fieldsOf).filter((fields) => fields !== undefined)
}

/** The first entries of a list, and none if it is no list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, maxListed) : []
}

/** A text that is short enough to be a name or a word; undefined for any other value. */
export function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= maxWord ? value : undefined
}

/** Makes a word of the other gateway safe to print: a terminal obeys control characters. */
export function printable(word: string): string {
  return word.replaceAll(/[\p{C}\p{Z}]/gu, (character) => (character === ' ' ? ' ' : '?')).slice(0, maxWord)
}

/** The names of the fields that are in use, of those that have no counterpart here. */
export function usedOf(fields: Fields, names: readonly string[]): string[] {
  return names.filter((name) => {
    const value = fields[name]
    return value !== undefined && value !== null && value !== false && value !== '' && value !== 0
  })
}

/** Events of ours for names of theirs; the names for which there are none are listed. */
export function translated(
  names: readonly unknown[],
  table: Readonly<Record<string, readonly EventType[]>>,
): { readonly events: readonly EventType[]; readonly unknown: readonly string[] } {
  const words = names.flatMap((name) => wordIn(name) ?? [])
  const known = words.filter((word) => Object.hasOwn(table, word))
  return {
    events: [...new Set(known.flatMap((word) => table[word] ?? []))],
    unknown: words.filter((word) => !known.includes(word)).map(printable),
  }
}

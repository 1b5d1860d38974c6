import { eachObjectIn, integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { groupAddress, phoneAddress, userAddress } from '../address.ts'
import { addressesIn, addressOf, participantNames } from '../people.ts'

/*
 * Meta carries out most orders about groups later, and tells their end by a callback with the id of the request. Source: Groups API, Webhooks
 * for Groups API (May 2026). It writes codes of errors as texts there; numbers are read, too.
 */

/** The end of an order about a group. */
export interface GroupOrderResult {
  readonly group: string | null
  /** The code of the error of the order as a whole; null if it has none, or none that can be read. */
  readonly code: number | null
  readonly hasFailed: boolean
  /** The change of the subject; null if it is about none. */
  readonly subject: SettingResult | null
  /** The same of the description. */
  readonly description: SettingResult | null
  readonly removed: readonly ToldMember[]
  readonly notRemoved: readonly ToldMember[]
}

/** A member of whom a callback tells. */
export interface ToldMember {
  /** As others name this person. */
  readonly address: string
  /** As the request named them, if it is told. */
  readonly input: string | null
  /** Of their error; null if they have none. */
  readonly code: number | null
}

export interface SettingResult {
  readonly isDone: boolean
  /** The new value, if it is a text. */
  readonly text: string | null
  readonly code: number | null
}

/** Members of one result that are looked at: a group has eight (Groups API, Quick facts). */
export const maxMembers = 50

/** The longest id of a request that is waited for; those of the reference have some dozens of characters. */
const maxRequestId = 512

/** The id of the request that an answer or a callback names; null if it names none. */
export function requestIdIn(json: Json): string | null {
  const id = textIn(json, 'request_id') ?? integerIn(json, 'request_id')
  return id !== null && String(id).length <= maxRequestId ? String(id) : null
}

export function resultIn(about: Json): GroupOrderResult {
  const [error] = eachObjectIn(about, 'errors').take(1)
  return {
    group: groupAddress(textIn(about, 'group_id')),
    code: error ? codeIn(error) : null,
    hasFailed: error !== undefined,
    subject: settingIn(about, 'group_subject'),
    description: settingIn(about, 'group_description'),
    removed: membersIn(about, 'removed_participants'),
    notRemoved: membersIn(about, 'failed_participants'),
  }
}

/** The change of one setting; null if it is not told. */
export function settingIn(about: Json, name: string): SettingResult | null {
  const setting = objectIn(about, name)
  if (!setting) return null
  const isDone = setting.update_successful === true
  return { isDone, text: textIn(setting, 'text'), code: firstCodeIn(setting) }
}

/** People whom a list names. The reference has those whom the business removes by `input` alone. */
export function membersIn(about: Json, name: string): ToldMember[] {
  const members = eachObjectIn(about, name)
    .take(maxMembers)
    .map((member) => {
      const input = inputIn(member)
      const address = addressOf(addressesIn(member, participantNames)) ?? input
      return address === null ? null : { address, input, code: firstCodeIn(member) }
    })
  return [...members].filter((member) => member !== null)
}

function inputIn(member: Json): string | null {
  const input = textIn(member, 'input')
  return input && (userAddress(input) ?? phoneAddress(input.replaceAll(/[^0-9]/g, '')))
}

function firstCodeIn(json: Json): number | null {
  const [error] = eachObjectIn(json, 'errors').take(1)
  return error ? codeIn(error) : null
}

function codeIn(error: Json): number | null {
  const code = integerIn(error, 'code') ?? Number(/^\d{1,9}$/.exec(textIn(error, 'code') ?? '')?.[0])
  return Number.isSafeInteger(code) ? code : null
}

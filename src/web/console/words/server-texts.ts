import { translation } from '../core/language.ts'
import { contentErrorWords, noticeWords } from './content-errors.ts'
import { loginReasonWords, restrictionWords } from './login-reasons.ts'
import { commonErrorWords, recipientErrorWords } from './message-errors.ts'
import { commonFieldWords, type NetworkWords, networkWords } from './networks.ts'
import { connectionReasonWords, instanceReasonWords } from './reasons.ts'

/*
 * What the server says by a code: in the language of the page if that is known here, and else in the server's own words, for
 * example because a network was added that the page does not know.
 */

interface Coded {
  readonly code: string
  readonly detail: string
}

const reasons = { ...connectionReasonWords, ...loginReasonWords, ...instanceReasonWords }
const errors = { ...recipientErrorWords, ...contentErrorWords, ...commonErrorWords }

/** Why an instance has its status. */
export function reasonText({ code, detail }: Coded): string {
  return translation(reasons, code) ?? detail
}

/** What the network restricts an account in, or warns of. */
export function restrictionText({ code, detail }: Coded): string {
  return translation(restrictionWords, code) ?? detail
}

/** Why a message waits, or was given up. */
export function errorText({ code, detail }: Coded): string {
  return translation(errors, code) ?? detail
}

/** What the network did otherwise than it was asked for. */
export function noticeText({ code, detail }: Coded): string {
  return translation(noticeWords, code) ?? detail
}

const known: Readonly<Record<string, NetworkWords>> = networkWords

/** What a network is, if the page knows it in its language. */
export function networkIntro(network: string): string | undefined {
  return translation({ intro: known[network]?.intro ?? ['', ''] }, 'intro') || undefined
}

/** What a field of a network means, if the page knows it in its language. */
export function fieldHint(network: string, field: string): string | undefined {
  return translation({ ...commonFieldWords, ...known[network]?.fields }, field)
}

/** What happens to messages to a test address of a network, if the page knows it in its language. */
export function testAddressText(network: string, address: string): string | undefined {
  const [, word = ''] = /@([^.]+)/.exec(address) ?? []
  return translation(known[network]?.testAddresses ?? {}, word)
}

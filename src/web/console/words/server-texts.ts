import type { English } from '../../../locales/index.ts'
import { consoleWords, say } from './say.ts'
import { withoutCalls } from './without-calls.ts'

/*
 * Texts for the codes of the server: in the language of the page if they are known here, and else in the server's own words,
 * for example because the server is newer than the page.
 */

interface Coded {
  readonly code: string
  readonly detail: string
}

type Table = Readonly<Record<string, string>> | undefined

/** Returns the text of the first of these tables that has a code. */
function found(code: string, tables: readonly Table[]): string | undefined {
  return tables.find((table) => table && Object.hasOwn(table, code))?.[code]
}

/** Returns the text for a code of this kind, common to several networks or from a single one. */
function coded(kind: 'reasons' | 'errors' | 'notices' | 'restrictions' | 'faults', { code, detail }: Coded) {
  const { codes, networks } = consoleWords()
  const common = kind === 'restrictions' ? undefined : codes?.[kind]
  return (
    found(code, [common, ...Object.values(networks).map((network) => network[kind])]) ?? withoutCalls(detail)
  )
}

/** Returns the reason why an instance has its status. */
export const reasonText = (reason: Coded) => coded('reasons', reason)

/** Returns a restriction that the network puts on an account, or its warning, in words. */
export const restrictionText = (restriction: Coded) => coded('restrictions', restriction)

/** Returns the reason why a message waits, or was given up. */
export const errorText = (error: Coded) => coded('errors', error)

/** Does the same for an error of a network: two networks may mean different things by one code. */
export function networkErrorText(error: {
  readonly network: string | null
  readonly code: string
  readonly detail: string | null
}): string {
  const { codes, networks } = consoleWords()
  const own = networks[error.network ?? '']?.errors
  return found(error.code, [own, codes?.errors]) ?? withoutCalls(error.detail ?? error.code)
}

/** Returns a departure of the network from what it was asked for, in words. */
export const noticeText = (notice: Coded) => coded('notices', notice)

/** Returns the reason why a value was refused. */
export const faultText = (fault: Coded) => coded('faults', fault)

/** Returns the reason why an attempt to deliver an event came to no status. */
export function deliveryFailureText({ code, detail }: Coded): string {
  return found(code, [consoleWords().codes?.delivery_failures]) ?? detail
}

/** Returns a finding about the server, in the language of the page if it is known there; `language` is that of other words. */
export function findingText(finding: {
  readonly code: string
  readonly happened: string
  readonly next: string
}): { readonly happened: string; readonly next: string; readonly language?: string } {
  const known = consoleWords().codes?.findings
  if (!known) return { happened: finding.happened, next: finding.next }
  const text = Object.hasOwn(known, finding.code) ? known[finding.code as keyof typeof known] : undefined
  return text ?? { happened: finding.happened, next: finding.next, language: 'en' }
}

/** Returns the name of an action of the audit log; its code if this build does not have it. */
export const actionName = (action: string): string =>
  say(`audit.actions.${action as keyof English['console']['audit']['actions']}`)

/** Returns the reason why Posthorn disabled a webhook. */
export function disabledText({ code, detail }: Coded): string {
  return found(code, [consoleWords().codes?.disabled]) ?? detail
}

/**
 * Returns the meaning of a problem and what to do about it; undefined for a code that only programs meet, or that the page
 * does not know.
 */
export function problemText(code: string): { readonly title: string; readonly next: string } | undefined {
  const { problems } = consoleWords()
  return Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : undefined
}

/** Returns the words of a network that this build has. */
export const networkWords = (network: string) => consoleWords().networks[network]

/** Returns the name of a network for people; its code if this build does not have it. */
export const networkName = (network: string): string => consoleWords().networks[network]?.card.name ?? network

/** Returns the introduction to a network, if the page has it in its language. */
export function networkIntro(network: string): string | undefined {
  return consoleWords().networks[network]?.intro
}

/** Returns the meaning of a field of a network, if the page has it in its language. */
export function fieldHint(network: string, field: string): string | undefined {
  const { codes, networks } = consoleWords()
  return found(field, [networks[network]?.hints, codes?.hints])
}

/** Returns the name of a field of a network for people. */
export function fieldName(network: string, field: string): string {
  const { network_fields: common, networks } = consoleWords()
  const spelled = field.replaceAll('_', ' ')
  const known = found(field, [networks[network]?.labels, common])
  return known ?? spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** Returns the fate of messages to a test address of a network, if the page has it in its language. */
export function testAddressText(network: string, address: string): string | undefined {
  const [, word = ''] = /@([^.]+)/.exec(address) ?? []
  return found(word, [consoleWords().networks[network]?.test_addresses])
}

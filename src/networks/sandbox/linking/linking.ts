import type { Linking, LinkStep } from '../../driver/abilities/linking.ts'
import type { SandboxCredentials, SandboxSettings } from '../settings.ts'

/**
 * Letters of the codes that a person is shown while an account is linked, and of the credentials that the sandbox issues
 * afterwards.
 */

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function pick(random: () => number, count: number): string {
  let text = ''
  for (let index = 0; index < count; index++) text += letters[Math.floor(random() * letters.length)]
  return text
}

const code = (random: () => number) => `${pick(random, 4)}-${pick(random, 4)}`

const question = (answer: string) => `Which code did the sandbox send you? It sent ${answer}`

/** Makes the value of a link step of each kind. A question names its answer, so that everybody can give it. */
export const linkValues: Readonly<Record<LinkStep['kind'], (random: () => number) => string>> = {
  qr: (random) => `sandbox-link:${pick(random, 24)}`,
  code,
  url: (random) => `https://sandbox.invalid/link/${pick(random, 24)}`,
  question: (random) => question(code(random)),
}

/** True if this is the answer to a question that was shown. */
export function isAnswer(shown: string, answer: string): boolean {
  return shown === question(answer.trim())
}

/**
 * True if an account needs no person to open: it has a token, or never needed one. Credentials of an account that was logged
 * out say so.
 */
export function isLinked({ link }: SandboxSettings, credentials: SandboxCredentials): boolean {
  if (credentials.token !== undefined) return true
  return link === undefined && !('logged_out' in credentials)
}

/** The token with which a linked account authenticates. */
export function tokenValue(random: () => number): string {
  return `linked-${pick(random, 24)}`
}

export const linking: Linking = {
  kinds: ['qr', 'code', 'url', 'question'],
  isLinked: (settings, credentials) =>
    isLinked(settings as SandboxSettings, credentials as SandboxCredentials),
}

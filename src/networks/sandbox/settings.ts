import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { SettingsFault } from '../driver/account.ts'
import { namePattern } from './address.ts'
import { connectionScripts, linkSteps, refusedToken } from './script.ts'

/** The caller's settings: which script the connection follows. Every setting is optional. */
export const sandboxSettings = Type.Object(
  {
    account: Type.Optional(
      Type.String({
        pattern: `^${namePattern}$`,
        default: 'sandbox',
        description: 'The name of the account; its address is `<account>@delivers.sandbox`.',
      }),
    ),
    behaviour: Type.Optional(
      Type.Enum(
        connectionScripts.map((script) => script.behaviour),
        { default: 'connects', description: 'What the connection does; see the table of connections.' },
      ),
    ),
    after_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        description:
          'How long the connection waits before it does what `behaviour` says. If something happens to an open connection, ' +
          'the time counts from its opening (default 5), otherwise from the start of the attempt to connect (default 0).',
      }),
    ),
    reply_window_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400 * 30,
        description:
          'The time for which the account may reply to a person after they wrote, as on some networks: Posthorn refuses ' +
          'messages more than a minute later. By default, there is no limit.',
      }),
    ),
    link: Type.Optional(
      Type.Enum(['qr', 'code', 'url', 'question'], {
        description:
          'Without a token, the account must be linked first: a person has to scan a QR code, type a pairing code, open a ' +
          'page, or answer a question, which contains its answer.',
      }),
    ),
    links_after_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        default: 5,
        description:
          'The number of seconds after which the sandbox acts as if a person had done so. It waits for the answer to a `question`.',
      }),
    ),
    link_step_seconds: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 3600,
        default: 20,
        description: `How long each of them is valid; the link expires after ${linkSteps} of them.`,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{}, { behaviour: 'drops', after_seconds: 30 }, { link: 'qr', links_after_seconds: 10 }],
  },
)

export type SandboxSettings = Static<typeof sandboxSettings>

/** The caller's credentials: none, or any token. */
export const credentials = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: `Any token is accepted, except \`${refusedToken}\`.`,
      }),
    ),
  },
  { additionalProperties: false, examples: [{}, { token: 'open-sesame' }, { token: refusedToken }] },
)

export type SandboxCredentials = Static<typeof credentials>

/** Finds settings for linking that would silently do nothing. */
export function check(given: SandboxSettings): readonly SettingsFault[] {
  const { link } = given
  if (link === 'question' && given.links_after_seconds !== undefined)
    return [fault('links_after_seconds', 'if link is question: the instance is linked by the answer.')]
  if (link !== undefined) return []
  return (['links_after_seconds', 'link_step_seconds'] as const)
    .filter((field) => given[field] !== undefined)
    .map((field) => fault(field, 'without the setting link.'))
}

function fault(field: string, when: string): SettingsFault {
  return { pointer: `/settings/${field}`, code: 'requires_link', detail: `${field} has no effect ${when}` }
}

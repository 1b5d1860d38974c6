import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { Settings, SettingsFault } from '../driver/account.ts'

export const settingsSchema = Type.Object(
  {
    updates: Type.Optional(
      Type.Enum(['polling', 'callback'], {
        title: 'TelegramUpdates',
        description:
          'How messages come in. `polling`: Posthorn asks Telegram for them, and needs no public address. `callback`: Telegram posts ' +
          'them to the callback URL of the instance; the server must be reachable from the internet.',
        default: 'polling',
      }),
    ),
  },
  { additionalProperties: false, examples: [{}, { updates: 'callback' }] },
)

export const credentialsSchema = Type.Object(
  {
    token: Type.String({
      description:
        'The token of the bot, from [@BotFather](https://t.me/botfather). Keep it secret: its holder controls the bot.',
      pattern: '^[0-9]{1,16}:[A-Za-z0-9_-]{35}$',
      maxLength: 52,
      examples: ['8000000001:AAExampleExampleExampleExampleExamp'],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ token: '8000000001:AAExampleExampleExampleExampleExamp' }],
  },
)

export type TelegramSettings = Static<typeof settingsSchema>
export type TelegramCredentials = Static<typeof credentialsSchema>

/** The id of the bot, with which its token begins (tdlib/telegram-bot-api, ClientManager.cpp). */
export function botOf(token: string): number {
  return Number(token.slice(0, token.indexOf(':')))
}

/** True if Telegram calls back, as the settings ask. */
export function isCalledBack(settings: Settings): boolean {
  return (settings as TelegramSettings).updates === 'callback'
}

/** The ports that Telegram calls back, besides that of https (https://core.telegram.org/bots/webhooks). */
const ports: readonly string[] = ['', '80', '88', '8443']

/**
 * Faults in settings that ask for callbacks at a server that Telegram cannot reach. `serverUrl` is where callers reach it; a Bot
 * API server of one's own (`isOwnServer`) calls back any address.
 */
export function callbackFaults(
  settings: Settings,
  { serverUrl, isOwnServer }: { readonly serverUrl: string | undefined; readonly isOwnServer: boolean },
): SettingsFault[] {
  if (!isCalledBack(settings)) return []
  const otherwise =
    'Ask the operator to set `POSTHORN_BASE_URL`, or leave `updates` out: Posthorn then polls.'
  const fault = (detail: string) => [
    { pointer: '/settings/updates', code: 'callbacks_impossible', detail: `${detail} ${otherwise}` },
  ]
  if (serverUrl === undefined)
    return fault('The operator has not set the URL at which Telegram reaches this server.')
  const { protocol, port } = new URL(serverUrl)
  if (isOwnServer || (protocol === 'https:' && ports.includes(port))) return []
  return fault(
    'Telegram calls back only https URLs with the port 443, 80, 88 or 8443, and that of this server is none.',
  )
}

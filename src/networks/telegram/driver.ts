import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { isGroup, parseAddress } from './address.ts'
import { callbacks } from './callbacks.ts'
import { groupFeatures } from './chats/groups.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { TelegramConnection } from './connection.ts'
import { limits } from './limits.ts'
import { description } from './reference.ts'
import { contentFault } from './sending/content-fault.ts'
import { mentionFault } from './sending/mentions.ts'
import { textFault } from './sending/text.ts'
import { callbackFaults, credentialsSchema, isCalledBack, settingsSchema } from './settings.ts'

export interface TelegramOptions {
  /** The base URL of the Bot API. */
  readonly baseUrl: string
  /** Base URL at which callers, and Telegram, reach this server, if that is known. */
  readonly serverUrl?: string
}

/** Everything but this is a Bot API server of one's own. */
const telegramsOwn = 'api.telegram.org'

const abilities: DriverAbilities = {
  message_ids: 'assigned',
  receipts: [],
  recipients: 'those_who_wrote',
  reply_window_seconds: null,
  sends: [
    ...(['reply', 'reaction', 'edit', 'retract', 'mention', 'topic'] as const),
    ...(['location', 'contacts', 'buttons', 'url_button', 'poll'] as const),
  ],
  marks_read: false,
  typing: true,
  pictures: true,
  sent_elsewhere: false,
  connected_means:
    'Telegram answered the last request that Posthorn made with the token of ' +
    'the bot and, with `updates: callback`, its webhook is the callback URL of the instance. If Telegram ' +
    'recently failed to deliver a message there, `restriction` warns of it.',
}

/** The Telegram network: bots, by the Bot API (https://core.telegram.org/bots/api). */
export function telegram({ baseUrl, serverUrl }: TelegramOptions): Driver {
  const isOwnServer = new URL(baseUrl).hostname !== telegramsOwn
  return {
    network: 'telegram',
    title: 'Telegram',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    fixedSettings: [],
    abilities,
    callbacks,
    limits,
    reasons,
    errors,
    notices,
    restrictions,
    check: (settings) => callbackFaults(settings, { serverUrl, isOwnServer }),
    parseAddress,
    isGroup,
    groups: groupFeatures,
    accountIn: () => null,
    textFault,
    contentFault,
    mentionFault,
    removal: { isNeeded: isCalledBack },
    connect: (context) => new TelegramConnection(context, { http: context.http, baseUrl }),
  }
}

import type { Abilities } from '../abilities.ts'
import type { Driver } from '../driver.ts'
import { parseAddress } from './address.ts'
import { errors, notices, reasons } from './codes.ts'
import { TelegramConnection } from './connection.ts'
import { limits } from './limits.ts'
import { description } from './reference.ts'
import { credentialsSchema, settingsSchema } from './settings.ts'
import { textFault } from './text.ts'

export interface TelegramOptions {
  /** The base URL of the Bot API. */
  readonly baseUrl: string
}

const abilities: Abilities = {
  message_ids: 'assigned',
  receipts: [],
  recipients: 'those_who_wrote',
  reply_window_seconds: null,
  links: [],
  marks_read: false,
  templates: false,
  sent_elsewhere: false,
  callbacks: false,
  connected_means: 'Telegram answered the last question that Posthorn asked with the token of the bot.',
}

/** The Telegram network: bots that poll the Bot API. */
export function telegram({ baseUrl }: TelegramOptions): Driver {
  return {
    network: 'telegram',
    title: 'Telegram',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    abilities,
    limits,
    reasons,
    errors,
    notices,
    check: () => [],
    parseAddress,
    accountIn: () => null,
    textFault,
    mustUndo: () => false,
    connect: (context) => new TelegramConnection(context, { http: context.http, baseUrl }),
  }
}

import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { templates } from '../kit/template-components.ts'
import type { GraphTimeouts } from './account.ts'
import { isGroup, parseAddress } from './address.ts'
import { callbacksWith } from './callbacks.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { CloudConnection } from './connection.ts'
import { groupFeatures } from './groups/cloud-groups.ts'
import { limits } from './limits.ts'
import { description } from './reference.ts'
import { choicesFault } from './sending/contents.ts'
import { type CloudApp, type CloudSettings, check, credentialsSchema, settingsSchema } from './settings.ts'

export interface WhatsAppCloudOptions {
  /** In front of the version of the Graph API, for example `https://graph.facebook.com`. */
  readonly baseUrl: string
  /** The app of the operator, if there is one that instances may use. */
  readonly app?: CloudApp | undefined
  /** For tests: how long the API may take for what. In milliseconds. */
  readonly timeouts?: Partial<GraphTimeouts>
}

const abilities: DriverAbilities = {
  message_ids: 'assigned',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: 86_400,
  sends: [
    'reply',
    'reaction',
    'location',
    'contacts',
    'buttons',
    'list',
    'url_button',
    'interactive_header',
    'interactive_footer',
  ],
  marks_read: true,
  typing: 'answering',
  sent_elsewhere: true,
  connected_means:
    'The API accepted the access token for this phone number, or said that it is asked too often; whether callbacks arrive is shown only ' +
    'by callbacks.',
}

const timeouts: GraphTimeouts = {
  question: limits.probe_timeout_seconds * 1_000,
  answer: 25_000,
  // Others with questions about groups wait meanwhile.
  confirmation: 12_000,
}

/** The WhatsApp Cloud API (https://developers.facebook.com/docs/whatsapp/cloud-api). */
export function whatsappCloud({ baseUrl, app, timeouts: given }: WhatsAppCloudOptions): Driver {
  const apiOptions = { baseUrl, app, timeouts: { ...timeouts, ...given } }
  return {
    network: 'whatsapp-cloud',
    title: 'WhatsApp Cloud API',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    fixedSettings: ['phone_number_id'],
    abilities,
    templates,
    groups: groupFeatures,
    callbacks: callbacksWith(apiOptions),
    limits,
    reasons,
    errors,
    notices,
    restrictions,
    check: (settings, credentials) => check(app !== undefined, settings, credentials),
    parseAddress,
    isGroup,
    accountIn: (settings) => (settings as CloudSettings).phone_number_id,
    textFault: (text) =>
      text.includes('\0') ? 'WhatsApp cannot carry null characters. Send the text without them.' : null,
    contentFault: ({ interactive }) => (interactive ? choicesFault(interactive) : null),
    connect: (context) => new CloudConnection(context, apiOptions),
  }
}

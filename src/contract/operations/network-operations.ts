import { operation, pageResponse } from '../operation.ts'
import { type Network, NetworkPage } from '../resources/network.ts'

const example: Network = {
  network: 'xmpp',
  title: 'XMPP',
  for_trying: false,
  description: 'An account at any XMPP server. Recipients are bare addresses such as `ana@example.org`.',
  abilities: {
    message_ids: 'ours',
    receipts: ['delivered', 'read'],
    recipients: 'anyone',
    reply_window_seconds: null,
    links: [],
    logs_out: false,
    sends: ['reply', 'reaction', 'edit', 'retract', 'location'],
    marks_read: false,
    groups: [],
    checks_addresses: false,
    typing: false,
    pictures: false,
    templates: false,
    sent_elsewhere: false,
    callbacks: false,
    connected_means: 'The server responded on the stream of the account.',
  },
  limits: {
    text_characters: 4096,
    caption_characters: 1024,
    media_bytes: { document: 104_857_600, audio: 16_777_216, image: 16_777_216 },
    interactive: {
      body_characters: 0,
      buttons: 0,
      button_characters: 0,
      list_rows: 0,
      row_characters: 0,
      row_description_characters: 0,
      id_bytes: 0,
    },
    poll_options: 0,
    poll_option_characters: 0,
    poll_question_characters: 0,
    group_subject_length: 0,
    group_description_length: 0,
    edit_seconds: null,
    retract_seconds: null,
    dedupes_by_id: true,
    in_flight: 32,
    in_flight_per_recipient: 16,
    answer_timeout_seconds: 30,
    pacing: { messages: 20, seconds: 1 },
    pause: null,
    warm_up: [],
    pacing_per_recipient: null,
    probe_after_seconds: 60,
    probe_timeout_seconds: 10,
  },
  settings: {
    type: 'object',
    properties: { address: { type: 'string', description: 'The address of the account.' } },
    required: ['address'],
    additionalProperties: false,
  },
  credentials: {
    type: 'object',
    properties: { password: { type: 'string', description: 'The password of the account.' } },
    required: ['password'],
    additionalProperties: false,
  },
  fixed_settings: ['address'],
  template_component: null,
  reasons: [
    {
      code: 'network_unreachable',
      status: 'reconnecting',
      happened: 'The server cannot be reached.',
      next: 'Posthorn tries again.',
    },
  ],
  errors: [
    {
      code: 'recipient_unknown',
      happened: 'The server does not know the recipient.',
      next: 'Check the address.',
    },
  ],
  notices: [],
  restrictions: [],
}

export const listNetworks = operation('GET /v1/networks', {
  id: 'listNetworks',
  summary: 'List the networks',
  description:
    'Lists the messaging networks that this server supports, on one page: the abilities and limits of each, the settings and ' +
    'credentials of its instances, and all its codes. The section of each network in the reference is made from the same ' +
    'data.',
  access: 'read',
  isAboutServer: true,
  responses: {
    200: pageResponse('All networks.', NetworkPage, [example]),
  },
})

export const networkOperations = [listNetworks] as const

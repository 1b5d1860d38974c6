import Type from 'typebox'
import type { NetworkDescription } from '../../../src/contract/network-description.ts'
import { record } from '../../../src/contract/scalars.ts'
import { plainLimits } from '../../../src/networks/kit/plain-limits.ts'

/** A network as its driver describes it, for tests of the document. */
export const pigeons: NetworkDescription = {
  network: 'pigeon',
  title: 'Carrier pigeon',
  description: 'Addresses are lofts, such as `loft@example.org`.',
  settings: record('PigeonSettings', {
    loft: Type.String({ description: 'Where the pigeons live.' }),
    breed: Type.Optional(Type.String({ enum: ['homer', 'tippler'], description: 'Which | pigeons.' })),
  }),
  credentials: record('PigeonCredentials', {}),
  fixedSettings: ['loft'],
  abilities: {
    message_ids: 'assigned',
    receipts: ['delivered'],
    recipients: 'those_who_wrote',
    reply_window_seconds: 86_400,
    links: [],
    logs_out: false,
    sends: [],
    marks_read: false,
    groups: [],
    checks_addresses: false,
    typing: false,
    pictures: false,
    templates: true,
    sent_elsewhere: false,
    callbacks: false,
    connected_means: 'A pigeon came back.',
  },
  limits: {
    text_characters: 300,
    caption_characters: 1024,
    media_bytes: { image: 16 * 1024 * 1024 },
    ...plainLimits,
    group_subject_length: 0,
    group_description_length: 0,
    dedupes_by_id: false,
    in_flight: 2,
    in_flight_per_recipient: 1,
    pause: null,
    warm_up: [],
    pacing_per_recipient: { messages: 1, seconds: 6 },
    answer_timeout_seconds: 20,
    pacing: { messages: 4, seconds: 60 },
    probe_after_seconds: 30,
    probe_timeout_seconds: 10,
  },
  reasons: {
    hawk: { ends: 'connection-lost', happened: 'A hawk came.', next: 'Posthorn sends another pigeon.' },
  },
  errors: { roof_shut: { happened: 'The roof is shut.', next: 'Have it opened.' } },
  restrictions: { storm: { happened: 'There is a storm.', next: 'Wait until it is over.' } },
  notices: { rolled_up: { happened: 'The letter was rolled up.', next: 'Flatten it.' } },
}

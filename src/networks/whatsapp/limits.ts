import type { MediaKind } from '../../contract/resources/message.ts'
import { groupAbilities } from '../../contract/statuses.ts'
import type { AddressChecks } from '../driver/abilities/checking.ts'
import type { GroupFeatures } from '../driver/abilities/groups.ts'
import type { DriverLimits } from '../driver/limits.ts'
import { plainLimits } from '../kit/plain-limits.ts'

const megabyte = 1024 * 1024

/**
 * Limits of the clients of WhatsApp (https://faq.whatsapp.com/, "About sending media, contacts or location"). A document may
 * have 2 GB there, and a text 65,536 characters; Posthorn takes no more of either on any network than this.
 */
export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: {
    document: 100 * megabyte,
    audio: 16 * megabyte,
    image: 16 * megabyte,
    video: 16 * megabyte,
    sticker: megabyte,
  },
  caption_characters: 1024,
  ...plainLimits,
  poll_options: 12,
  poll_option_characters: 100,
  poll_question_characters: 255,
  // https://faq.whatsapp.com/, "How to edit messages" and "How to delete messages": 15 minutes, and about two days.
  edit_seconds: 15 * 60,
  retract_seconds: 2 * 24 * 60 * 60,
  dedupes_by_id: true,
  in_flight: 20,
  in_flight_per_recipient: 1,
  // Besides the acknowledgement, it may take the devices of the recipient, their keys, and where files go.
  answer_timeout_seconds: 60,
  // Accounts of people that send like machines are restricted, those that were linked just now first.
  pacing: null,
  pause: { min_seconds: 1, max_seconds: 3 },
  warm_up: [
    { until_hours: 24, factor: 4 },
    { until_hours: 168, factor: 2 },
  ],
  pacing_per_recipient: null,
  probe_after_seconds: 60,
  probe_timeout_seconds: 20,
}

/** The types that every client shows as an image, or plays. Others go as documents. */
export const shownTypes: Readonly<Partial<Record<MediaKind, readonly string[]>>> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/mp4', 'video/3gpp'],
  sticker: ['image/webp'],
  audio: ['audio/ogg; codecs=opus', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/amr'],
}

/** The type of voice notes. */
export const voiceType = 'audio/ogg; codecs=opus'

/**
 * WhatsApp publishes no limit for questions about numbers, and bans accounts that ask about many, as those do that look for people to write
 * to. One request may name as many as this; after that, they come back at less than one in a minute.
 */
export const addressChecks: AddressChecks = { pace: { count: 50, seconds: 60 * 60 } }

/** Nor does it publish one for changes of groups. Accounts that make groups of people who do not know them are banned soon. */
export const groupFeatures: GroupFeatures = {
  abilities: groupAbilities,
  pace: { count: 20, seconds: 60 * 60 },
  // https://faq.whatsapp.com/, "How to create and invite into a group".
  maxSubject: 100,
  // https://faq.whatsapp.com/, "How to change group info".
  maxDescription: 2_048,
}

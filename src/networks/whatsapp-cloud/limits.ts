import type { MediaKind } from '../../contract/resources/message.ts'
import type { DriverLimits } from '../driver/limits.ts'

const megabyte = 1024 * 1024

/**
 * Source: WhatsApp Cloud API, Supported media types; Interactive reply buttons; Interactive lists; Throughput: 80 messages a second for
 * each number.
 */
export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: {
    document: 100 * megabyte,
    audio: 16 * megabyte,
    image: 5 * megabyte,
    video: 16 * megabyte,
    // One that does not move may have a fifth of it.
    sticker: 500 * 1024,
  },
  caption_characters: 1024,
  interactive: {
    // A list may have more.
    body_characters: 1024,
    buttons: 3,
    button_characters: 20,
    list_rows: 10,
    row_characters: 24,
    row_description_characters: 72,
    id_bytes: 200,
  },
  poll_options: 0,
  poll_option_characters: 0,
  poll_question_characters: 0,
  edit_seconds: null,
  retract_seconds: null,
  dedupes_by_id: false,
  in_flight: 32,
  in_flight_per_recipient: 1,
  // A file is uploaded first, and then the message is sent.
  answer_timeout_seconds: 60,
  pacing: { messages: 80, seconds: 1 },
  // Bursts are allowed, and Meta says when one was too long.
  pause: null,
  warm_up: [],
  pacing_per_recipient: null,
  // One request in five minutes is far below what Meta allows an app.
  probe_after_seconds: 300,
  probe_timeout_seconds: 20,
}

/** The types of files that can be sent as such kinds. Of OGG, only Opus can. */
export const mediaTypes: Readonly<Partial<Record<MediaKind, readonly string[]>>> = {
  image: ['image/jpeg', 'image/png'],
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg; codecs=opus'],
  video: ['video/mp4', 'video/3gpp'],
  sticker: ['image/webp'],
}

import type { DriverLimits } from '../driver/limits.ts'

const megabyte = 1024 * 1024

/** Bots may upload files of up to 50 MB, and download those of up to 20 MB (https://core.telegram.org/bots/api#sending-files). */
export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: {
    document: 50 * megabyte,
    audio: 16 * megabyte,
    image: 16 * megabyte,
    video: 50 * megabyte,
    // https://core.telegram.org/stickers#static-stickers-and-emoji
    sticker: megabyte / 2,
  },
  caption_characters: 1024,
  // https://core.telegram.org/bots/api#inlinekeyboardbutton; a keyboard has at most 100 buttons.
  interactive: {
    body_characters: 4096,
    buttons: 30,
    button_characters: 64,
    list_rows: 0,
    row_characters: 0,
    row_description_characters: 0,
    id_bytes: 64,
  },
  // https://core.telegram.org/bots/api#sendpoll
  poll_options: 12,
  poll_option_characters: 100,
  poll_question_characters: 300,
  edit_seconds: null,
  // https://core.telegram.org/bots/api#deletemessage
  retract_seconds: 172_800,
  dedupes_by_id: false,
  in_flight: 30,
  in_flight_per_recipient: 1,
  answer_timeout_seconds: 40,
  // https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
  pacing: { messages: 30, seconds: 1 },
  pause: null,
  warm_up: [],
  pacing_per_recipient: { messages: 1, seconds: 1 },
  probe_after_seconds: 90,
  probe_timeout_seconds: 15,
}

/** The largest update that is read, in bytes: as it is polled, and as it is called back, where none can be stepped over. */
export const largestUpdate = megabyte
export const largestCallback = 4 * megabyte

/** The largest photo; a larger image is sent as a document. */
export const largestPhoto = 10 * megabyte

import type { DriverLimits } from '../driver/limits.ts'
import { plainLimits } from '../kit/plain-limits.ts'

const megabyte = 1024 * 1024

/** Bots may upload files of up to 50 MB, and download those of up to 20 MB (https://core.telegram.org/bots/api#sending-files). */
export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: { document: 50 * megabyte, audio: 16 * megabyte, image: 16 * megabyte },
  caption_characters: 1024,
  ...plainLimits,
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

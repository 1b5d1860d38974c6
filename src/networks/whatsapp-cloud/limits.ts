import type { MediaKind } from '../../contract/resources/message.ts'
import type { DriverLimits } from '../driver/limits.ts'
import { plainLimits } from '../kit/plain-limits.ts'

const megabyte = 1024 * 1024

/** Source: WhatsApp Cloud API, Supported media types; Throughput: 80 messages a second for each number. */
export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: { document: 100 * megabyte, audio: 16 * megabyte, image: 5 * megabyte },
  caption_characters: 1024,
  ...plainLimits,
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

/** The types of images and of audio that can be sent as such. Of OGG, only Opus can. */
export const mediaTypes: Readonly<Partial<Record<MediaKind, readonly string[]>>> = {
  image: ['image/jpeg', 'image/png'],
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg; codecs=opus'],
}

import type { DriverLimits } from '../driver/limits.ts'
import { plainLimits } from '../kit/plain-limits.ts'

const megabyte = 1024 * 1024

export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: {
    document: 100 * megabyte,
    audio: 16 * megabyte,
    image: 16 * megabyte,
    video: 100 * megabyte,
  },
  caption_characters: 1024,
  ...plainLimits,
  dedupes_by_id: true,
  in_flight: 32,
  // A server handles the stanzas of one stream in order (RFC 6120 section 10.1), and counts them in order (XEP-0198).
  in_flight_per_recipient: 16,
  answer_timeout_seconds: 30,
  pacing: { messages: 20, seconds: 1 },
  pause: null,
  warm_up: [],
  pacing_per_recipient: null,
  probe_after_seconds: 60,
  probe_timeout_seconds: 10,
}

/** Milliseconds for each step that depends on the server's answer. */
export interface XmppTimeouts {
  /** From the first packet to the end of the login. */
  readonly connect: number
  /**
   * For the acknowledgement of a message; a server that answers nothing else either is a dead connection. Less than
   * `answer_timeout_seconds`: a resumed session shows what arrived, an attempt that was given up does not.
   */
  readonly acknowledgement: number
  readonly probe: number
  readonly close: number
  /** For the server to take anything of what is written to it. */
  readonly untaken: number
  readonly removal: number
  /** The timeout of an upload, in addition to the time for its bytes, and of an upload in which nothing moves. */
  readonly upload: number
  /** For one page of the archive. */
  readonly archive: number
  /** For the opening to wait for missed messages; then the rest of them comes while messages are sent. */
  readonly catchUp: number
  /** For a room to let the account in. */
  readonly room: number
  /** For all that an action on a room asks. */
  readonly group: number
}

export const timeouts: XmppTimeouts = {
  connect: 15_000,
  acknowledgement: 20_000,
  probe: limits.probe_timeout_seconds * 1_000,
  close: 2_000,
  untaken: 30_000,
  removal: 10_000,
  upload: 20_000,
  archive: 20_000,
  catchUp: 5_000,
  room: 20_000,
  group: 45_000,
}

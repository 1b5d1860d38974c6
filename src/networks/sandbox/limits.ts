import type { DriverLimits } from '../driver/limits.ts'

const megabyte = 1024 * 1024

export const limits: DriverLimits = {
  text_characters: 4096,
  media_bytes: {
    document: 100 * megabyte,
    audio: 16 * megabyte,
    image: 16 * megabyte,
    video: 64 * megabyte,
    sticker: megabyte,
  },
  caption_characters: 1024,
  interactive: {
    body_characters: 1024,
    buttons: 3,
    button_characters: 20,
    list_rows: 10,
    row_characters: 24,
    row_description_characters: 72,
    id_bytes: 64,
  },
  poll_options: 12,
  poll_option_characters: 100,
  poll_question_characters: 300,
  edit_seconds: 900,
  retract_seconds: 172_800,
  dedupes_by_id: true,
  in_flight: 64,
  in_flight_per_recipient: 1,
  answer_timeout_seconds: 30,
  pacing: null,
  pause: null,
  warm_up: [{ until_hours: 24, factor: 2 }],
  pacing_per_recipient: null,
  probe_after_seconds: 60,
  probe_timeout_seconds: 10,
}

import type { DriverLimits } from '../driver/limits.ts'

/** The limits of contents that a network cannot send. */
export const plainLimits = {
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
  edit_seconds: null,
  retract_seconds: null,
} as const satisfies Partial<DriverLimits>

import { setting } from '../../runtime/config/setting.ts'
import { optional, text } from '../../runtime/config/setting-values.ts'

/** Settings that only tests change. */
export const testSettings = {
  POSTHORN_SANDBOX_TRANSCRIPT: setting(
    '',
    'A file to which the sandbox network appends every message it receives, as one JSON object per line. It writes the contents of files to the folder `<it>.files`.',
    optional(text),
  ),
} as const

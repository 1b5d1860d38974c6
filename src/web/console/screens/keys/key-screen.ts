import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ownKeys } from './key-calls.ts'
import { Keys } from './keys.ts'
import { say } from './words.ts'

/** The keys of the own organization. */
export function screen({ me }: ScreenProps) {
  return h(
    Screen,
    { title: say('keys'), calls: [shownCall('listKeys')] },
    h(Keys, { calls: ownKeys, own: me.key?.id }),
  )
}

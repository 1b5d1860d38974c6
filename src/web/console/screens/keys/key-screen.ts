import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { goTo } from '../../core/router.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { ownKeys } from './key-calls.ts'
import { Keys } from './keys.ts'

/** The keys of the own organization. */
export function screen({ me, query }: ScreenProps) {
  return h(
    Screen,
    { title: say('keys.keys'), calls: [shownCall('listKeys')] },
    h(Keys, {
      calls: ownKeys,
      own: me.key?.id,
      isAskedForNew: query.new !== undefined,
      onNewClosed: () => goTo(['keys'], {}, true),
    }),
  )
}

import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Liveness, openNow, whenLivenessChanges } from '../core/live.ts'
import { type ReachState, tryNow } from '../core/reach/reach.ts'
import { Button } from '../parts/button.ts'
import { Icon } from '../parts/icon.ts'
import { notify } from '../parts/notices.ts'
import { agePlace, withAge } from '../parts/time.ts'
import { say } from '../words/say.ts'

interface BannerProps {
  readonly state: ReachState
  /** True if the session is told of changes: the operator's is not. */
  readonly isKey: boolean
}

/**
 * Says across the top that what is shown is not known any more, since when, and that the page keeps trying; or, more quietly, that
 * changes do not come by themselves. The place stays when there is nothing to say, so that screen readers hear what appears in it.
 */
export function ConnectionBanner({ state: { reach, heardAt }, isKey }: BannerProps) {
  const [liveness, setLiveness] = useState<Liveness>('opening')
  useEffect(() => whenLivenessChanges(setLiveness), [])
  const isLost = reach === 'lost'
  const wasLost = useRef(false)
  useEffect(() => {
    if (isLost) wasLost.current = true
    else if (reach === 'known' && wasLost.current) {
      wasLost.current = false
      notify(say('frame.reached_again'))
    }
  }, [reach])
  const isRereading = isKey && !isLost && liveness === 'rereading'
  const region = isLost || isRereading ? { role: 'region', 'aria-label': say('frame.connection') } : {}
  return h(
    'div',
    { class: isLost ? 'connection lost' : 'connection', ...region },
    isLost && h(Icon, { name: 'offline' }),
    h('p', { role: 'alert' }, isLost && h('strong', null, say('frame.lost'))),
    h('p', { role: 'status' }, isRereading && say('frame.rereading')),
    isLost && [
      h(
        'p',
        null,
        withAge(
          `${say('frame.last_known')} ${agePlace}. ${say('frame.trying')}`,
          new Date(heardAt).toISOString(),
        ),
      ),
      h(Button, { onClick: tryNow }, say('frame.try_now')),
    ],
    isRereading && h(Button, { onClick: openNow }, say('frame.try_now')),
  )
}

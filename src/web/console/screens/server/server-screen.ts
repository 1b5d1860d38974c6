import { h } from 'preact'
import { shownCall } from '../../core/curl.ts'
import { useRepeated } from '../../core/hooks/use-repeated.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { say } from '../../words/say.ts'
import { Findings } from './findings.ts'
import { ServerCards } from './server-cards.ts'

/** Milliseconds between two reads: no event tells of the health of a server. */
const rereadAfter = 10_000

/** The health of the server, for its operator: first what needs a person, then what waits, and how full it is. */
export function screen() {
  const { data, error, reload } = useRepeated('getServer', rereadAfter)
  return h(
    Screen,
    { title: say('server.title'), calls: [shownCall('getServer')] },
    h(Failure, { error, onRetry: reload }),
    !data && error === undefined && h(Skeleton, null),
    data && h(Findings, { health: data }),
    data && h(ServerCards, { health: data }),
  )
}

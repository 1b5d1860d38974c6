import { h } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import type { Me } from '../../core/me.ts'
import type { Request } from '../../core/operations.ts'
import { localTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** Milliseconds after which a person who comes back makes another visit. */
const visitPause = 30 * 60_000
/** Milliseconds between two notes that the person is still here. */
const notedEvery = 60_000
const hour = 3_600_000
/** The longest time that is told by hours, and the longest that is told by minutes: the server keeps them for three hours. */
const maxHours = 40 * 24 * hour
const maxMinutes = 2.5 * hour

interface Visits {
  /** When the visit before this one ended; undefined if there was none. */
  readonly since?: number
  /** When the person was here last. */
  readonly seen: number
}

/** Tells what happened since this person looked at this organization in this browser the last time; nothing at the first visit. */
export function SinceLastVisit({ me }: { readonly me: Me }) {
  const organization = me.organization?.id ?? ''
  const since = useMemo(() => begin(organization), [organization])
  useEffect(() => {
    const note = () => keep(organization, { ...(since === undefined ? {} : { since }), seen: Date.now() })
    const timer = setInterval(() => document.hidden || note(), notedEvery)
    addEventListener('pagehide', note)
    return () => {
      clearInterval(timer)
      removeEventListener('pagehide', note)
      note()
    }
  }, [organization, since])
  return since === undefined ? null : h(News, { since })
}

function News({ since }: { readonly since: number }) {
  const request = useMemo(() => requestSince(since), [since])
  const { data } = useCall('getStatistics', request)
  if (!data) return h('p', { class: 'small since' })
  const { delivered, failed, received } = data.totals
  const words = say('overview.since', {
    time: localTime(data.from),
    ...{ delivered: number(delivered), failed: number(failed), received: number(received) },
  })
  return h('p', { class: 'small since' }, words)
}

/** Asks for the shortest intervals that are kept for so long. The time that is told is when the first one began. */
function requestSince(since: number): Request<'getStatistics'> {
  const ago = Date.now() - since
  const interval = ago < maxMinutes ? 'minute' : ago < maxHours ? 'hour' : 'day'
  return { query: { interval, from: new Date(since).toISOString() } }
}

const nameOf = (organization: string) => `posthorn-visit-${organization}`

/** Begins a visit, or goes on with the one that was interrupted; returns when the one before ended. */
function begin(organization: string): number | undefined {
  const before = known(organization)
  const isSame = before !== undefined && Date.now() - before.seen < visitPause
  const since = isSame ? before.since : before?.seen
  keep(organization, { ...(since === undefined ? {} : { since }), seen: Date.now() })
  return since
}

function known(organization: string): Visits | undefined {
  try {
    const { since, seen } = JSON.parse(localStorage.getItem(nameOf(organization)) ?? '')
    const oldest = Date.now() - 365 * 24 * hour
    const isTime = (value: unknown) => typeof value === 'number' && value > oldest && value <= Date.now()
    return isTime(seen) ? { seen, ...(isTime(since) ? { since } : {}) } : undefined
  } catch {
    return undefined
  }
}

/** The browser may store nothing: then each visit is the first. */
function keep(organization: string, visits: Visits): void {
  try {
    localStorage.setItem(nameOf(organization), JSON.stringify(visits))
  } catch {}
}

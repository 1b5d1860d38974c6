import type { Static } from 'typebox'
import { operation } from '../operation.ts'
import { callerMoment, InstanceName, moment, oneOf, orNull, record } from '../scalars.ts'
import type { CountName } from '../statuses.ts'
import Type from '../type.ts'

/** The most hours or days in one response, and the most rows that are read for it: a key limited to some instances reads one for each. */
export const intervalsAtMost = 1_000
export const countsAtMost = 20_000

const count = (description: string) => Type.Integer({ minimum: 0, description })
const quantile = (share: string) =>
  orNull(
    Type.Number({
      minimum: 0,
      description: `An estimate of the seconds that ${share} of them took at most, with an error of at most 10%; null if there are none.`,
    }),
  )

export const Latency = record(
  'Latency',
  {
    count: count('How many were measured.'),
    p50_seconds: quantile('half'),
    p95_seconds: quantile('95%'),
    p99_seconds: quantile('99%'),
  },
  'How long messages took, counted from when they were accepted or, if that is later, from `send_at`.',
)
export type Latency = Static<typeof Latency>

/** The counts, as the reference explains them. */
const counts: Readonly<Record<CountName, ReturnType<typeof count>>> = {
  accepted: count('Messages that were accepted to be sent.'),
  sent: count('Messages that the network accepted.'),
  delivered: count('Messages that reached a device of the recipient.'),
  read: count('Messages that the recipient read.'),
  failed: count('Messages that could not be sent.'),
  expired: count('Messages that expired before they could be sent.'),
  canceled: count('Messages that were canceled.'),
  unknown: count('Messages that may or may not have arrived.'),
  received: count(
    'Messages that were received. A message that cannot be decrypted counts once its content arrives.',
  ),
}

export const IntervalStatistics = record(
  'IntervalStatistics',
  {
    from: moment('When the hour or the day begins.'),
    ...counts,
    queue_depth: count(
      'Messages in the queue at the end: accepted by then, and still `queued` or `sending`. If the hour or the day is not over, ' +
        'after the last event that is counted.',
    ),
    to_sent: Latency,
    to_delivered: Latency,
  },
  'The counts of an hour or a day.',
)
export type IntervalStatistics = Static<typeof IntervalStatistics>

const interval = oneOf(['hour', 'day'], {
  title: 'StatisticsInterval',
  description: 'The length of an interval: an hour or a day, both in UTC.',
})

const latency: Latency = { count: 118, p50_seconds: 0.422, p95_seconds: 1.42, p99_seconds: 3.38 }
const day: IntervalStatistics = {
  ...{ from: '2026-11-20T00:00:00.000Z', accepted: 121, sent: 118, delivered: 117, read: 93 },
  ...{ failed: 2, expired: 0, canceled: 1, unknown: 0, received: 58 },
  queue_depth: 4,
  to_sent: latency,
  to_delivered: { count: 117, p50_seconds: 0.843, p95_seconds: 4.01, p99_seconds: 13.5 },
}

export const getStatistics = operation('GET /v1/statistics', {
  id: 'getStatistics',
  summary: 'Count what happened to messages',
  description:
    'Returns, for each hour (or each day, with `interval=day`), how many messages were accepted, sent, delivered and so on, how long sending took, and how many messages were in the queue at the end. Each step of a message counts once, in the hour of its event: a message that is accepted at 9:59 and sent at 10:01 counts as accepted in one hour and as sent in the next. A message that becomes `unknown`, and is later found to have arrived, counts as both. Messages that the account sent from another client are not counted.\n\n' +
    'Events are counted some seconds after they happen: every event before `counted_until` is counted. Counts are kept for 400 days ' +
    'unless the operator chose otherwise, even if their instance is removed; a new instance with the same name continues them. ' +
    'Latencies are estimated from fixed buckets, four for each doubling of the time, from a millisecond to 49 days, so their error ' +
    'is at most 10%.\n\n' +
    'A key that is limited to some instances gets their sum. Only the first 10,000 instances that are active in an hour or ' +
    'in a day have counts of their own for it: the messages of others count only for the whole organization.',
  access: 'read',
  filtered: true,
  query: record('GetStatisticsQuery', {
    from: Type.Optional(
      callerMoment('The beginning; by default 24 hours before `to`. Its hour or day is included.'),
    ),
    to: Type.Optional(
      callerMoment(
        'The end; by default now. Its hour or day is included. A response has at most 1,000 hours or days.',
      ),
    ),
    interval: Type.Optional(interval),
    instance: Type.Optional(InstanceName),
  }),
  responses: {
    200: {
      description: 'The counts.',
      body: record('Statistics', {
        interval,
        from: moment('When the first interval begins.'),
        to: moment('When the last interval ends.'),
        counted_until: moment('Every event before this time is counted; some later ones may be.'),
        data: Type.Array(IntervalStatistics, {
          description: 'One entry for each hour or day, even if nothing happened in it, oldest first.',
        }),
      }),
      example: {
        interval: 'day',
        from: '2026-11-20T00:00:00.000Z',
        to: '2026-11-21T00:00:00.000Z',
        counted_until: '2026-11-20T17:29:00.000Z',
        data: [day],
      },
    },
  },
})

export const statisticsOperations = [getStatistics] as const

import type { Static } from 'typebox'
import { operation } from '../operation.ts'
import { callerMoment, InstanceName, moment, oneOf, orNull, record } from '../scalars.ts'
import type { CountName } from '../statuses.ts'
import Type from '../type.ts'

/** The most intervals that one response is made of, and the most rows that are read for it: a key limited to some instances reads one for each. */
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
    from: moment('When the interval begins.'),
    ...counts,
    queue_depth: count(
      'Messages in the queue at the end: accepted by then, and still `queued` or `sending`. If the interval is not over, ' +
        'after the last event that is counted.',
    ),
    to_sent: Latency,
    to_delivered: Latency,
  },
  'The counts of an interval.',
)
export type IntervalStatistics = Static<typeof IntervalStatistics>

const interval = oneOf(['minute', 'hour', 'day'], {
  title: 'StatisticsInterval',
  description:
    'The length of an interval: a minute, an hour or a day. Minutes are kept for 3 hours. Days are those of UTC unless you name a ' +
    '`time_zone`.',
})

/** The most kinds of errors in one response. */
export const maxFailures = 100

export const FailureCount = record(
  'FailureCount',
  {
    network: orNull(
      Type.String({
        description: 'The network of their instances; null if it is not known.',
        examples: ['sandbox'],
      }),
    ),
    code: Type.String({
      description:
        'The code of the error, as in `error.code` of messages. `other` counts those that are not told apart: errors without a code, ' +
        'and the rarest if there were too many kinds.',
      examples: ['recipient_unknown'],
    }),
    detail: orNull(
      Type.String({
        description: 'The meaning of the code, for a person; null if this server does not know it.',
      }),
    ),
    count: count('Messages that failed with it.'),
  },
  'Messages that failed with the same error on the same network.',
)
export type FailureCount = Static<typeof FailureCount>

export const StatisticsTotals = record(
  'StatisticsTotals',
  {
    ...counts,
    to_sent: Latency,
    to_delivered: Latency,
    failures: Type.Array(FailureCount, {
      maxItems: maxFailures,
      description:
        'The errors with which messages failed, the most frequent first. Their sum is less than `failed` if some failed before ' +
        'Posthorn counted errors.',
    }),
  },
  'The counts of the whole time.',
)
export type StatisticsTotals = Static<typeof StatisticsTotals>

/** The most instances whose own counts one response has. */
export const maxNamedInstances = 100

const series = (description: string) =>
  Type.Array(Type.Integer({ minimum: 0 }), { maxItems: intervalsAtMost, description })

export const InstanceSeries = record(
  'InstanceSeries',
  {
    instance: InstanceName,
    sent: series('Messages that the network accepted.'),
    failed: series('Messages that could not be sent.'),
    received: series('Messages that were received.'),
  },
  'The counts of one instance: a number for each interval of `data`, in its order.',
)
export type InstanceSeries = Static<typeof InstanceSeries>

const latency: Latency = { count: 118, p50_seconds: 0.422, p95_seconds: 1.42, p99_seconds: 3.38 }
const counted = {
  ...{ accepted: 121, sent: 118, delivered: 117, read: 93 },
  ...{ failed: 2, expired: 0, canceled: 1, unknown: 0, received: 58 },
  to_sent: latency,
  to_delivered: { count: 117, p50_seconds: 0.843, p95_seconds: 4.01, p99_seconds: 13.5 },
}
const day: IntervalStatistics = { from: '2026-11-20T00:00:00.000Z', queue_depth: 4, ...counted }
const failures = [
  {
    ...{ network: 'sandbox', code: 'recipient_unknown' },
    detail: 'The recipient is not known.',
    count: 2,
  },
]

export const getStatistics = operation('GET /v1/statistics', {
  id: 'getStatistics',
  summary: 'Count what happened to messages',
  description:
    'Returns, for each hour (or each minute or day, with `interval`), how many messages were accepted, sent, delivered and so on, how long sending took, and how many messages were in the queue at the end. Each step of a message counts once, in the hour of its event: a message that is accepted at 9:59 and sent at 10:01 counts as accepted in one hour and as sent in the next. A message that becomes `unknown`, and is later found to have arrived, counts as both. Messages that the account sent from another client are not counted.\n\n' +
    'Events are counted some seconds after they happen: every event before `counted_until` is counted. Counts are kept for 400 days, ' +
    'and those of minutes for 3 hours (`counted_from` says where the counts begin), even if their instance is removed; a new instance with the same name continues them. ' +
    'Latencies are estimated from fixed buckets, four for each doubling of the time, from a millisecond to 49 days, so their error ' +
    'is at most 10%.\n\n' +
    'A key that is limited to some instances gets their sum. Only the first 10,000 instances that are active in an hour or ' +
    'in a day, and the first 1,000 in a minute, have counts of their own for it: the messages of others count only for the whole organization.',
  access: 'read',
  filtered: true,
  query: record('GetStatisticsQuery', {
    from: Type.Optional(
      callerMoment(
        'The beginning; by default 24 hours before `to`, or 3 hours with `interval=minute`. Its interval is included.',
      ),
    ),
    to: Type.Optional(
      callerMoment(
        'The end; by default now. Its interval is included. A response has at most 1,000 intervals, and is made of at most 1,000 hours ' +
          'if you name a `time_zone`.',
      ),
    ),
    interval: Type.Optional(interval),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
        description:
          'The time zone whose days are meant, by its name in the tz database. It changes only `interval=day`: the first day begins at ' +
          'its midnight, and the last one ends with the hour of `to`. Days are made of hours of UTC: if a midnight is between two of ' +
          'them, its day begins with the next.',
        examples: ['America/Sao_Paulo'],
      }),
    ),
    instance: Type.Optional(InstanceName),
    by_instance: Type.Optional(
      Type.Array(InstanceName, {
        minItems: 1,
        maxItems: maxNamedInstances,
        uniqueItems: true,
        description:
          'The names of instances, separated by commas: `by_instance` of the response has the counts of each. The other counts ' +
          'stay as they are without it.',
        examples: [['support', 'shop']],
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The counts.',
      body: record('Statistics', {
        interval,
        from: moment('When the first interval begins.'),
        to: moment('When the last interval ends.'),
        counted_from: moment(
          'No event before this time is counted: your organization was created then, or earlier counts are no longer ' +
            'kept. A 0 before it means that the count is not known.',
        ),
        counted_until: moment('Every event before this time is counted; some later ones may be.'),
        totals: StatisticsTotals,
        data: Type.Array(IntervalStatistics, {
          description: 'One entry for each interval, even if nothing happened in it, oldest first.',
        }),
        by_instance: Type.Array(InstanceSeries, {
          maxItems: maxNamedInstances,
          description:
            'The counts of the instances that the query names, in its order, without those that your key may not see; empty if ' +
            'it names none. An instance that is not known has zeros.',
        }),
      }),
      example: {
        interval: 'day',
        from: '2026-11-20T00:00:00.000Z',
        to: '2026-11-21T00:00:00.000Z',
        counted_from: '2026-10-02T08:00:00.000Z',
        counted_until: '2026-11-20T17:29:00.000Z',
        totals: { ...counted, failures },
        data: [day],
        by_instance: [{ instance: 'support', sent: [118], failed: [2], received: [58] }],
      },
    },
  },
})

export const statisticsOperations = [getStatistics] as const

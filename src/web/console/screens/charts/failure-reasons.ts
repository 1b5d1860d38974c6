import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { linkTo } from '../../core/router.ts'
import { Card } from '../../parts/card.ts'
import { Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { networkErrorText, networkName } from '../../words/server-texts.ts'
import type { Statistics } from './periods.ts'

interface Reason {
  readonly text: string
  readonly network: string | null
  readonly count: number
}

/** The reasons for which messages failed, the most frequent first; nothing if none did. */
export function FailureReasons({
  totals,
  instance,
}: Pick<Statistics, 'totals'> & { readonly instance: string }) {
  const { failed, failures } = totals
  if (failed === 0) return null
  const reasons: Reason[] = failures.map(({ network, count, ...error }) => ({
    text: error.code === 'other' ? say('charts.other_reasons') : networkErrorText({ ...error, network }),
    network,
    count,
  }))
  const told = failures.reduce((sum, { count }) => sum + count, 0)
  // Errors are counted by their codes since some version of the server only.
  if (told < failed) reasons.push({ text: say('charts.no_reason'), network: null, count: failed - told })
  const all = h(
    'a',
    { class: 'small', href: linkTo(['messages'], { status: 'failed', instance }) },
    say('charts.failed_messages'),
  )
  return h(
    Card,
    { id: 'failure-reasons', title: say('charts.reasons'), aside: all },
    h(
      'div',
      { class: 'flush' },
      h(Table<Reason>, {
        caption: say('charts.reasons'),
        items: reasons,
        keyOf: ({ text, network }) => `${network} ${text}`,
        columns: [
          { title: say('charts.reason'), cell: ({ text }) => text },
          {
            title: say('everywhere.network'),
            onPhone: 'below',
            cell: ({ network }) => network && networkName(network),
            isShort: true,
          },
          {
            title: say('charts.messages'),
            onPhone: 'beside',
            cell: ({ count }) => number(count),
            isNumber: true,
          },
        ],
      }),
    ),
  )
}

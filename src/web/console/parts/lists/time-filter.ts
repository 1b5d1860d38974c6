import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { localField, momentOf } from '../../core/local-time.ts'
import { say } from '../../words/say.ts'
import { ChoiceField, TextField } from '../forms/fields.ts'
import { localTime } from '../time.ts'
import { type Filter, type ListPlace, setFilters } from './filters.ts'

/** Spans up to now, in minutes. */
const spans = { '1h': 60, '24h': 24 * 60, '7d': 7 * 24 * 60, '30d': 30 * 24 * 60 } as const
type Span = keyof typeof spans
const spanNames = Object.keys(spans) as Span[]

const nameOf = (span: Span) => say(`everywhere.spans.${span}`)

/** The times that a list is about, as its calls have them. */
export interface Between {
  readonly created_after?: string
  readonly created_before?: string
}

/**
 * A filter by time: a span up to now, which a link says as such so that it means the same tomorrow, or two moments. A link has them
 * as `within`, `created_after` and `created_before`.
 */
export function timeFilter(place: ListPlace): Filter {
  const { query } = place
  const span = spanOf(query)
  const choose = (chosen: string) =>
    setFilters(place, { within: chosen, created_after: '', created_before: '' })
  return {
    names: ['within', 'created_after', 'created_before'],
    label: say('everywhere.time'),
    said: span ? nameOf(span) : saidOf(query),
    menu: (done) => [
      h(
        'div',
        { class: 'presets' },
        spanNames.map((each) =>
          h(
            'button',
            {
              key: each,
              type: 'button',
              'aria-pressed': each === span,
              onClick: () => {
                choose(each)
                done()
              },
            },
            nameOf(each),
          ),
        ),
      ),
      h(Moments, { place }),
    ],
    fields: () => [
      h(ChoiceField<string, Span>, {
        label: say('everywhere.time'),
        value: span ?? '',
        onChange: choose,
        values: spanNames,
        nameOf,
        none: say('everywhere.any_time'),
      }),
      h(Moments, { place }),
    ],
  }
}

function saidOf({ created_after, created_before }: ListPlace['query']): string | undefined {
  const [after, before] = [created_after, created_before].map((moment) =>
    moment && localField(moment) ? localTime(moment) : '',
  )
  return after || before ? `${after} – ${before}` : undefined
}

function spanOf({ within }: ListPlace['query']): Span | undefined {
  return spanNames.find((each) => each === within)
}

/** Two moments, entered in local time; the link has them in UTC, so that they mean the same to every reader. */
function Moments({ place }: { readonly place: ListPlace }) {
  const field = (name: 'created_after' | 'created_before', label: string) =>
    h(TextField, {
      label,
      value: localField(place.query[name]),
      onChange: (value) => setFilters(place, { within: '', [name]: momentOf(value) }),
      type: 'datetime-local',
    })
  return [field('created_after', say('everywhere.since')), field('created_before', say('everywhere.before'))]
}

/** The times that a link asks for. A span counts from the moment in which it was chosen, so that the pages of a list fit together. */
export function useBetween(query: ListPlace['query']): Between {
  const { created_after, created_before } = query
  const span = spanOf(query)
  return useMemo(() => {
    if (span) return { created_after: new Date(Date.now() - spans[span] * 60_000).toISOString() }
    return {
      ...(created_after && { created_after }),
      ...(created_before && { created_before }),
    }
  }, [span, created_after, created_before])
}

import { h } from 'preact'
import { bytes, number } from '../../browser/numbers.ts'
import type { Answer } from '../core/operations.ts'
import { say } from '../words/say.ts'
import { Table } from './table.ts'

type Quotas = Answer<'getQuotas'>
export type QuotaName = keyof Quotas
type Quota = Quotas[QuotaName]

/** The quotas, in the order in which they are shown. */
export const quotaNames: readonly QuotaName[] = [
  'unsettled_messages',
  'incoming_messages',
  'stored_bytes',
  'file_bytes',
  'waiting_callbacks',
  'waiting_callback_bytes',
]

/** The use of each quota. */
export function QuotaTable({ quotas }: { readonly quotas: Quotas }) {
  return h(Table<QuotaName>, {
    caption: say('quotas.title'),
    items: quotaNames,
    keyOf: (name) => name,
    columns: [
      { title: say('everywhere.name'), cell: (name) => say(`quotas.names.${name}`) },
      { title: say('quotas.used'), onPhone: 'beside', cell: (name) => amountOf(name, quotas[name].used) },
      {
        title: say('quotas.limit'),
        cell: (name) => h(Share, { name, quota: quotas[name] }),
      },
    ],
  })
}

function Share({ name, quota }: { readonly name: QuotaName; readonly quota: Quota }) {
  const { used, limit } = quota
  if (limit === null) return h('span', { class: 'small' }, say('quotas.no_limit'))
  return h(
    'span',
    { class: 'share' },
    h('meter', {
      min: 0,
      max: limit,
      high: 0.9 * limit,
      optimum: 0,
      value: used,
      'aria-label': say(`quotas.names.${name}`),
    }),
    amountOf(name, limit),
  )
}

/** The part of a quota that is used: 1 if all of it is, 0 if it has no limit. */
export function shareOf({ used, limit }: Quota): number {
  return limit === null || limit === 0 ? 0 : used / limit
}

/** Returns the use of a quota and its limit, in words. */
export function quotaText(name: QuotaName, quota: Quota | undefined) {
  return { used: amountOf(name, quota?.used ?? 0), limit: amountOf(name, quota?.limit ?? 0) }
}

/** Returns the use of a quota, or its limit, in words. */
export function amountOf(name: QuotaName, value: number): string {
  return name.endsWith('_bytes') ? bytes(value) : number(value)
}

import { h } from 'preact'
import { bytes, number } from '../core/language.ts'
import type { Answer } from '../core/operations.ts'
import { say as sayEverywhere } from '../words/everywhere.ts'
import { say, sayQuota } from '../words/quotas.ts'
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

/** How much of each quota is used. */
export function QuotaTable({ quotas }: { readonly quotas: Quotas }) {
  return h(Table<QuotaName>, {
    caption: say('title'),
    items: quotaNames,
    keyOf: (name) => name,
    columns: [
      { title: sayEverywhere('name'), cell: (name) => sayQuota(name) },
      { title: say('used'), cell: (name) => amountOf(name, quotas[name].used) },
      {
        title: say('limit'),
        cell: (name) => h(Share, { name, quota: quotas[name] }),
      },
    ],
  })
}

function Share({ name, quota }: { readonly name: QuotaName; readonly quota: Quota }) {
  const { used, limit } = quota
  if (limit === null) return h('span', { class: 'small' }, say('no_limit'))
  return h(
    'span',
    { class: 'share' },
    h('meter', {
      min: 0,
      max: limit,
      high: 0.9 * limit,
      optimum: 0,
      value: used,
      'aria-label': sayQuota(name),
    }),
    amountOf(name, limit),
  )
}

/** What is used and what may be, in words. */
export function quotaText(name: QuotaName, quota: Quota | undefined) {
  return { used: amountOf(name, quota?.used ?? 0), limit: amountOf(name, quota?.limit ?? 0) }
}

/** What is used of a quota, or its limit, in words. */
export function amountOf(name: QuotaName, value: number): string {
  return name.endsWith('_bytes') ? bytes(value) : number(value)
}

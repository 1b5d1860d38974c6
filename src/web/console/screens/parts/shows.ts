import { h } from 'preact'
import { RefusedError } from '../../../browser/refused.ts'
import { Ring } from '../../../browser/ring.ts'
import { Steps } from '../../../browser/steps.ts'
import type { Answer } from '../../core/operations.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { linkTo } from '../../core/router.ts'
import { Avatar } from '../../parts/avatar.ts'
import { Badge, InstanceBadge, MessageBadge } from '../../parts/badge.ts'
import { Card } from '../../parts/card.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure, ServerText } from '../../parts/failure.ts'
import { Icon } from '../../parts/icon.ts'
import { Prose } from '../../parts/prose.ts'
import { QuotaTable } from '../../parts/quotas.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age, Time, TimeOfDay } from '../../parts/time.ts'
import { instanceStatuses, messageStatuses } from '../../words/statuses.ts'

const at = '2026-01-15T11:20:00.000Z'

export function Badges() {
  const tones = ['good', 'busy', 'attention', 'bad', 'idle'] as const
  const face = { instance: 'bakery', address: 'ana@example.org', isGroup: false, hasPicture: false }
  return [
    h(
      'p',
      { class: 'actions' },
      tones.map((tone) => h(Badge, { key: tone, tone, text: tone })),
    ),
    h(
      'p',
      { class: 'actions' },
      instanceStatuses.map((status) => h(InstanceBadge, { key: status, status })),
    ),
    h(
      'p',
      { class: 'actions' },
      messageStatuses.map((status) => h(MessageBadge, { key: status, status })),
    ),
    h(
      Known.Provider,
      { value: false },
      h(
        'p',
        { class: 'actions' },
        h(InstanceBadge, { status: 'connected' }),
        h(MessageBadge, { status: 'failed' }),
      ),
    ),
    h(
      'p',
      { class: 'actions' },
      h(Avatar, { ...face, name: 'Ana Souza' }),
      h(Avatar, { ...face, name: null }),
      h(Avatar, { ...face, name: 'The team', isGroup: true }),
      h('span', { class: 'face' }, 'BA'),
      h('span', { class: 'count' }, '4'),
      h(Icon, { name: 'activity' }),
    ),
  ]
}

export function Texts() {
  return [
    h('h3', null, 'A small title'),
    h('p', null, h(Prose, { text: 'Words with `code` and [a link](https://example.org/).' })),
    h('p', { class: 'hint' }, 'A hint.'),
    h('p', { class: 'note' }, h(Icon, { name: 'info' }), 'A note beside what it is about.'),
    h('p', { class: 'warning' }, 'A warning, before something happens.'),
    h('p', null, h(Copyable, { text: 'msg_06fdw2p7d3va6x0n8y2jm4kgts' })),
    h(CodeBlock, { text: 'curl https://posthorn.example/v1/instances', label: 'A command' }),
    h(Facts, { facts: { Network: 'Scanned', Account: 'bakery@example.org', Queue: '0' } }),
    h(Steps, { steps: ['Open the app.', 'Tap *Linked devices*.'] }),
    h('p', { class: 'countdown' }, h(Ring, { left: 14, whole: 20 }), 'A new code in 14 s'),
    h('p', null, h('kbd', null, 'Ctrl K'), ' opens the search.'),
  ]
}

const refused = new RefusedError(400, {
  type: 'about:blank',
  title: 'Invalid request',
  status: 400,
  code: 'invalid_request',
  detail: 'The body has 1 fault.',
  request_id: 'req_06fdw2p7d3va6x0n8y2jm4kgts',
  errors: [{ pointer: '/name', code: 'pattern', detail: 'It must be 1 to 63 characters.' }],
} as ConstructorParameters<typeof RefusedError>[1])

export function Faults() {
  return [
    h(Failure, { error: refused, onRetry: () => {} }),
    h(Failure, { error: new TypeError('Failed to fetch') }),
    h('p', null, h(ServerText, { text: 'Translated words.', detail: "The server's own words." })),
    h('p', { class: 'fault' }, 'The reason why a value is wrong.'),
  ]
}

export function Times() {
  return h(Facts, {
    facts: {
      Moment: h(Time, { at }),
      Age: h(Age, { at }),
      Day: h(TimeOfDay, { at }),
      Never: h(Time, { at: null }),
    },
  })
}

const quota = { used: 4_000, limit: 10_000 }
const quotas = {
  unsettled_messages: quota,
  incoming_messages: { used: 9_500, limit: 10_000 },
  stored_bytes: { used: 4_000_000_000, limit: null },
  file_bytes: { used: 0, limit: 1_000_000 },
  waiting_callbacks: quota,
  waiting_callback_bytes: quota,
} as unknown as Answer<'getQuotas'>

const end = {
  error: undefined,
  isLoading: false,
  isRead: true,
  hasMore: false,
  more: () => {},
  reload: () => {},
}

export function Listings() {
  return [
    h(Table<string>, {
      caption: 'Instances',
      items: ['bakery', 'shop'],
      keyOf: (name) => name,
      linkOf: () => linkTo(['parts']),
      columns: [
        { title: 'Name', cell: (name) => name },
        { title: 'Status', cell: () => h(InstanceBadge, { status: 'connected' }), isShort: true },
        { title: 'Queue', cell: () => '12', isNumber: true },
      ],
    }),
    h(QuotaTable, { quotas }),
    h(
      Card,
      { id: 'part-card', title: 'A card', aside: h('a', { href: linkTo(['parts']) }, 'All of them') },
      h(
        'ul',
        { class: 'rows' },
        ['Ana Souza', 'Bruno'].map((name) => h('li', { key: name }, h('strong', null, name), h(Age, { at }))),
      ),
    ),
    h(ListEnd, { ...end, items: ['bakery'], hasMore: true, empty: null }),
    h(ListEnd, { ...end, items: [], empty: 'There is nothing yet.' }),
  ]
}

export function Waits() {
  return [h(Skeleton, { rows: 3 }), h(Skeleton, { rows: 2, look: 'lines' })]
}

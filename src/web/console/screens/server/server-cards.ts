import { type ComponentChildren, h } from 'preact'
import { bytes, duration, number } from '../../../browser/numbers.ts'
import { linkTo } from '../../core/router.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Card } from '../../parts/card.ts'
import { Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { instanceStatuses } from '../../words/statuses.ts'
import type { Health } from './findings.ts'

const notKnown = () => h('span', { class: 'small' }, say('server.not_known'))
const bytesOr = (value: number | null) => (value === null ? notKnown() : bytes(value))
const wait = (seconds: number | null) => (seconds === null ? '–' : duration(seconds))

/** Facts about the server, as cards: what waits, where it is kept, and the process itself. */
export function ServerCards({ health }: { readonly health: Health }) {
  return h(
    'div',
    { class: 'cards' },
    h(QueueCard, { health }),
    h(WebhookCard, { health }),
    h(InstanceCard, { health }),
    h(StoreCard, { health }),
    h(DiskCard, { health }),
    h(ProcessCard, { health }),
  )
}

interface CardProps {
  readonly health: Health
}

function QueueCard({ health: { queue, waiting_callbacks } }: CardProps) {
  return h(
    Card,
    { id: 'queue', title: say('server.queue') },
    queue
      ? h(Figures, {
          figures: {
            [say('server.messages')]: number(queue.messages),
            [say('server.oldest')]: wait(queue.oldest_seconds),
            [say('server.overdue')]: wait(queue.overdue_seconds),
            [say('server.held')]: number(queue.held),
            [say('server.callbacks')]: waiting_callbacks === null ? notKnown() : number(waiting_callbacks),
          },
        })
      : notKnown(),
  )
}

function WebhookCard({ health: { webhooks } }: CardProps) {
  return h(
    Card,
    { id: 'webhooks', title: say('server.webhooks') },
    webhooks
      ? h(Figures, {
          figures: {
            [say('server.deliveries')]: number(webhooks.pending),
            [say('server.oldest')]: wait(webhooks.oldest_seconds),
            [say('server.failing')]: number(webhooks.failing),
            [say('server.disabled')]: number(webhooks.disabled),
          },
        })
      : notKnown(),
  )
}

function InstanceCard({ health: { instances, workers } }: CardProps) {
  const known = instanceStatuses.filter((status) => (instances[status] ?? 0) > 0)
  const running = workers.filter(({ running, ended }) => running + ended > 0)
  return h(
    Card,
    { id: 'instances', title: say('server.instances') },
    known.length === 0 && h('p', { class: 'small' }, say('server.no_instances')),
    h(
      'ul',
      { class: 'tally' },
      known.map((status) =>
        h(
          'li',
          { key: status },
          h('strong', null, number(instances[status] ?? 0)),
          h(InstanceBadge, { status }),
        ),
      ),
    ),
    running.map(({ network, running: count, accounts, ended }) =>
      h(Facts, {
        key: network,
        facts: {
          [say('server.workers', { network })]: say('server.workers_hold', {
            workers: number(count),
            accounts: number(accounts),
          }),
          [say('server.workers_fell')]: number(ended),
        },
      }),
    ),
  )
}

function StoreCard({ health: { store } }: CardProps) {
  const { kind, schema, write_seconds, waiting_reads, waiting_writes } = store
  return h(
    Card,
    { id: 'store', title: say('server.store') },
    h(Facts, {
      facts: {
        [say('server.kind')]: kind === 'postgres' ? 'PostgreSQL' : 'SQLite',
        [say('server.size')]: bytesOr(store.bytes),
        [say('server.last_write')]: write_seconds === null ? notKnown() : duration(write_seconds),
        [say('server.waiting_calls')]: number(waiting_reads + waiting_writes),
        [say('server.schema')]: schema ? h('code', null, schema) : notKnown(),
      },
    }),
  )
}

function DiskCard({ health: { disk, last_backup_at } }: CardProps) {
  return h(
    Card,
    { id: 'disk', title: say('server.disk') },
    disk
      ? h(
          'p',
          { class: 'share' },
          h('meter', {
            min: 0,
            max: disk.size_bytes,
            high: 0.9 * disk.size_bytes,
            optimum: 0,
            value: disk.size_bytes - disk.free_bytes,
            'aria-label': say('server.disk'),
          }),
          say('server.free', { free: bytes(disk.free_bytes), size: bytes(disk.size_bytes) }),
        )
      : h('p', null, notKnown()),
    h(Facts, { facts: { [say('server.last_backup')]: h(Age, { at: last_backup_at }) } }),
  )
}

function ProcessCard({ health }: CardProps) {
  return h(
    Card,
    { id: 'process', title: say('server.process') },
    h(Facts, {
      facts: {
        Posthorn: health.version,
        'Node.js': health.node_version,
        [say('nodes.started')]: h(Time, { at: health.started_at }),
        [say('server.memory')]: bytes(health.memory_bytes),
        [say('server.node')]: h(Copyable, { text: health.node }),
        [say('nodes.title')]: h('a', { href: linkTo(['nodes']) }, number(health.nodes_running)),
      },
    }),
  )
}

/** Numbers that are compared at a glance, each under its name. */
function Figures({ figures }: { readonly figures: Readonly<Record<string, ComponentChildren>> }) {
  return h(
    'dl',
    { class: 'figures' },
    Object.entries(figures).map(([name, value]) =>
      h('div', { key: name }, h('dt', null, name), h('dd', null, value)),
    ),
  )
}

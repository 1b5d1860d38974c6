import { h } from 'preact'
import type { Answer } from '../../core/operations.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { ServerText } from '../../parts/server-text.ts'
import { Age, Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { reasonText, restrictionText } from '../../words/server-texts.ts'
import { sayNextStep } from '../../words/statuses.ts'
import { say } from './words.ts'

type Instance = Answer<'getInstance'>

/** How the connection is and why, and what to do next. */
export function Connection({
  instance,
  title,
}: {
  readonly instance: Instance
  /** What people call the network. */
  readonly title: string | undefined
}) {
  const { status, reason, restriction, queue, account } = instance
  return h(
    'section',
    { class: 'panel', 'aria-label': say('connection') },
    h(
      'p',
      { class: 'status-line', role: 'status' },
      h(InstanceBadge, { status }),
      h('span', null, sayNextStep(status)),
    ),
    reason && h(Coded, { ...reason, text: reasonText(reason) }),
    restriction && h(Restriction, { restriction }),
    h(Facts, {
      facts: {
        [say('since')]: h(Time, { at: instance.status_since }),
        [say('verified')]: h(Age, { at: instance.last_verified_at }),
        [say('next_attempt')]: instance.next_attempt_at
          ? h(Age, { at: instance.next_attempt_at })
          : undefined,
        [say('sendable')]: sayEverywhere(instance.sendable ? 'yes' : 'no'),
        [say('queued')]: String(queue.depth),
        [say('oldest')]: queue.oldest_at ? h(Age, { at: queue.oldest_at }) : undefined,
        [sayEverywhere('network')]: title ?? instance.network,
        [sayEverywhere('account')]: account ? h(Account, { account }) : '–',
        [say('linked_at')]: instance.linked_at ? h(Time, { at: instance.linked_at }) : undefined,
        [say('connected_at')]: h(Time, { at: instance.connected_at }),
        [say('id')]: h(Copyable, { text: instance.id }),
      },
    }),
  )
}

interface CodedProps {
  readonly text: string
  readonly detail: string
  readonly code: string
}

function Coded({ text, detail, code }: CodedProps) {
  return h('p', null, h(ServerText, { text, detail }), ' ', h('code', null, code))
}

const scopes = { all_messages: 'waits_all', new_contacts: 'waits_new', none: 'waits_none' } as const

function Restriction({ restriction }: { readonly restriction: NonNullable<Instance['restriction']> }) {
  const { scope, ends_at } = restriction
  return h(
    'div',
    { class: 'warning' },
    h(Coded, { ...restriction, text: restrictionText(restriction) }),
    h('p', null, say(scopes[scope] ?? 'waits_none')),
    ends_at && h('p', null, say('restricted_until'), ' ', h(Time, { at: ends_at })),
  )
}

function Account({ account }: { readonly account: NonNullable<Instance['account']> }) {
  const { address, display_name, url } = account
  const isPage = url !== null && /^https?:\/\//.test(url)
  return [
    display_name && h('span', null, display_name, ' '),
    h(Copyable, { text: address }),
    isPage && h('a', { href: url, target: '_blank', rel: 'noreferrer' }, say('open_account')),
  ]
}

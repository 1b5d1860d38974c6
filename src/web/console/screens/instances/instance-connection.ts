import { h } from 'preact'
import type { Answer } from '../../core/operations.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Copyable } from '../../parts/copy.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Facts } from '../../parts/facts.ts'
import { ServerText } from '../../parts/failure.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { reasonText, restrictionText } from '../../words/server-texts.ts'

type Instance = Answer<'getInstance'>

/** The state of the connection, its reason, and what to do next. */
export function Connection({
  instance,
  title,
}: {
  readonly instance: Instance
  /** The network's name for people. */
  readonly title: string | undefined
}) {
  const { status, reason, restriction } = instance
  const facts = h(Facts, { facts: factsOf(instance, title) })
  return h(
    'section',
    { class: 'panel', 'aria-label': say('instances.connection') },
    h(
      'p',
      { class: 'status-line', role: 'status' },
      h(InstanceBadge, { status }),
      h('span', null, say(`statuses.next_step.${status}`)),
    ),
    reason && h(Coded, { ...reason, text: reasonText(reason) }),
    restriction && h(Restriction, { restriction }),
    // While the account is being linked, the code is what matters.
    status === 'awaiting_link' ? h(Disclosure, { title: say('instances.details') }, facts) : facts,
  )
}

function factsOf(instance: Instance, title: string | undefined) {
  const { queue, account } = instance
  return {
    [say('instances.since')]: h(Time, { at: instance.status_since }),
    [say('instances.verified')]: h(Age, { at: instance.last_verified_at }),
    [say('instances.next_attempt')]: instance.next_attempt_at
      ? h(Age, { at: instance.next_attempt_at })
      : undefined,
    [say('instances.sendable')]: say(instance.sendable ? 'everywhere.yes' : 'everywhere.no'),
    [say('instances.queued')]: String(queue.depth),
    [say('instances.oldest')]: queue.oldest_at ? h(Age, { at: queue.oldest_at }) : undefined,
    [say('everywhere.network')]: title ?? instance.network,
    [say('everywhere.account')]: account ? h(Account, { account }) : '–',
    [say('instances.linked_at')]: instance.linked_at ? h(Time, { at: instance.linked_at }) : undefined,
    [say('instances.connected_at')]: h(Time, { at: instance.connected_at }),
    [say('instances.id')]: h(Copyable, { text: instance.id }),
  }
}

interface CodedProps {
  readonly text: string
  readonly detail: string
  readonly code: string
}

function Coded({ text, detail, code }: CodedProps) {
  return h('p', null, h(ServerText, { text, detail }), ' ', h('code', null, code))
}

const scopes = {
  all_messages: 'instances.waits_all',
  new_contacts: 'instances.waits_new',
  none: 'instances.waits_none',
} as const

function Restriction({ restriction }: { readonly restriction: NonNullable<Instance['restriction']> }) {
  const { scope, ends_at } = restriction
  return h(
    'div',
    { class: 'warning' },
    h(Coded, { ...restriction, text: restrictionText(restriction) }),
    h('p', null, say(scopes[scope] ?? 'instances.waits_none')),
    ends_at && h('p', null, say('instances.restricted_until'), ' ', h(Time, { at: ends_at })),
  )
}

function Account({ account }: { readonly account: NonNullable<Instance['account']> }) {
  const { address, display_name, url } = account
  const isPage = url !== null && /^https?:\/\//.test(url)
  return [
    display_name && h('span', null, display_name, ' '),
    h(Copyable, { text: address }),
    isPage && h('a', { href: url, target: '_blank', rel: 'noreferrer' }, say('instances.open_account')),
  ]
}

import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { instanceIn, useLive } from '../../core/live.ts'
import type { Answer } from '../../core/operations.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { useCall } from '../../core/use-call.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/confirm.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { notify } from '../../parts/notices.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Age, Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { say } from './words.ts'

type Instance = Answer<'getInstance'>

/** One instance: how its connection is and why, and what can be done. */
export function screen({ me, params }: ScreenProps) {
  const name = params.name ?? ''
  const request = { params: { name } }
  const { data, error, reload } = useCall('getInstance', request)
  useLive((event) => {
    if (instanceIn(event)?.name === name) reload()
  }, reload)
  return h(
    Screen,
    {
      title: name,
      parent: { title: say('title'), link: linkTo(['instances']) },
      calls: [shownCall('getInstance', request)],
      actions: data && me.key?.role === 'admin' && h(Orders, { instance: data, reload }),
    },
    error !== undefined && h(Failure, { error, onRetry: reload }),
    data && h(Connection, { instance: data }),
  )
}

function Orders({ instance, reload }: { readonly instance: Instance; readonly reload: () => void }) {
  const [isRemoving, setRemoving] = useState(false)
  const request = { params: { name: instance.name } }
  const order = (id: 'startInstance' | 'stopInstance' | 'restartInstance') => async () => {
    await call(id, request).catch((error) => notify(error.message))
    reload()
  }
  const remove = async () => {
    await call('deleteInstance', request)
    notify(say('removed', { name: instance.name }))
    goTo(['instances'])
  }
  return [
    instance.status === 'stopped'
      ? h(Button, { onClick: order('startInstance'), look: 'primary' }, say('start'))
      : h(Button, { onClick: order('stopInstance') }, say('stop')),
    h(Button, { onClick: order('restartInstance') }, say('restart')),
    h(Button, { onClick: () => setRemoving(true) }, say('remove')),
    isRemoving &&
      h(
        Confirm,
        {
          title: say('remove'),
          action: say('remove'),
          typed: instance.name,
          onConfirm: remove,
          onClose: () => setRemoving(false),
        },
        h('p', null, say('remove_what')),
      ),
  ]
}

function Connection({ instance }: { readonly instance: Instance }) {
  const { status, reason, restriction, queue } = instance
  return h(
    'section',
    { class: 'panel' },
    h('p', null, h(InstanceBadge, { status })),
    reason && h('p', null, reason.detail, ' ', h('code', null, reason.code)),
    restriction && h('p', { class: 'warning' }, restriction.detail, ' ', h('code', null, restriction.code)),
    h(Facts, {
      facts: {
        [say('since')]: h(Time, { at: instance.status_since }),
        [say('verified')]: h(Age, { at: instance.last_verified_at }),
        [say('next_attempt')]: instance.next_attempt_at
          ? h(Age, { at: instance.next_attempt_at })
          : undefined,
        [sayEverywhere('network')]: instance.network,
        [sayEverywhere('account')]: instance.account?.address ?? '–',
        [say('queued')]: String(queue.depth),
        [say('oldest')]: queue.oldest_at ? h(Age, { at: queue.oldest_at }) : undefined,
      },
    }),
  )
}

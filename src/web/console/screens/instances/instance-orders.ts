import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Answer, Network } from '../../core/operations.ts'
import { goTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { ordersFor } from './possible-orders.ts'
import { ReplaceCredentials } from './replace-credentials.ts'

interface OrdersProps {
  readonly instance: Answer<'getInstance'>
  readonly network: Network | undefined
  readonly reload: () => void
  readonly onRefused: (error: unknown) => void
}

/** Buttons for the orders that an instance takes. */
export function Orders({ instance, network, reload, onRefused }: OrdersProps) {
  const [open, setOpen] = useState<'remove' | 'log_out' | 'replace'>()
  const request = { params: { name: instance.name } }
  const order = (id: 'startInstance' | 'stopInstance' | 'restartInstance') => async () => {
    onRefused(undefined)
    await call(id, request).catch(onRefused)
    reload()
  }
  const remove = async () => {
    await call('deleteInstance', request)
    notify(say('instances.removed', { name: instance.name }))
    goTo(['instances'])
  }
  const logOut = async () => {
    await call('logOutInstance', request)
    reload()
  }
  const close = () => setOpen(undefined)
  if (instance.status === 'deleting') return null
  const possible = ordersFor(instance)
  const needsCredentials = Object.keys(network?.credentials.properties ?? {}).length > 0
  return [
    possible.includes('start') &&
      h(Button, { key: 'start', onClick: order('startInstance'), look: 'primary' }, say('instances.start')),
    possible.includes('stop') &&
      h(Button, { key: 'stop', onClick: order('stopInstance') }, say('instances.stop')),
    possible.includes('restart') &&
      h(Button, { key: 'restart', onClick: order('restartInstance') }, say('instances.restart')),
    network?.abilities.logs_out &&
      instance.status === 'connected' &&
      h(Button, { key: 'log_out', onClick: () => setOpen('log_out') }, say('instances.log_out')),
    needsCredentials &&
      h(Button, { key: 'replace', onClick: () => setOpen('replace') }, say('instance_form.replace')),
    h(Button, { key: 'remove', onClick: () => setOpen('remove') }, say('instances.remove')),
    open === 'remove' &&
      h(
        Confirm,
        { title: say('instances.remove'), typed: instance.name, onConfirm: remove, onClose: close },
        h('p', null, say('instances.remove_what')),
      ),
    open === 'log_out' &&
      h(
        Confirm,
        { title: say('instances.log_out'), onConfirm: logOut, onClose: close },
        h('p', null, say('instances.log_out_what')),
      ),
    open === 'replace' &&
      network &&
      h(ReplaceCredentials, { name: instance.name, network, onClose: close, onReplaced: reload }),
  ]
}

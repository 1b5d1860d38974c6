import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import type { ListFilters } from './filters.ts'

interface CancelAllProps {
  readonly filters: ListFilters
  readonly onCanceled: () => void
}

/** Cancels every queued message that the list is about, after asking; to close the question stops it. */
export function CancelAll({ filters, onCanceled }: CancelAllProps) {
  const [isAsking, setAsking] = useState(false)
  const [canceled, setCanceled] = useState(0)
  const isStopped = useRef(false)
  const ask = () => {
    isStopped.current = false
    setCanceled(0)
    setAsking(true)
  }
  const cancel = async () => {
    const { status, direction, limit, cursor, ...chosen } = filters
    const body = Object.keys(chosen).length === 0 ? { all: true } : chosen
    let count = 0
    let next: string | null | undefined
    do {
      const answer = await call('cancelMessages', { body: next ? { ...body, cursor: next } : body })
      count += answer.canceled
      next = answer.next_cursor
      setCanceled(count)
    } while (next && !isStopped.current)
    notify(say('messages.canceled_all', { count }))
  }
  const close = () => {
    isStopped.current = true
    setAsking(false)
    onCanceled()
  }
  return [
    h('button', { type: 'button', onClick: ask }, say('messages.cancel_all')),
    isAsking &&
      h(
        Confirm,
        {
          title: say('messages.cancel_all'),
          action: say('messages.cancel_all'),
          refusal: say('messages.do_not_cancel'),
          onConfirm: cancel,
          onClose: close,
        },
        h('p', null, say('messages.cancel_all_what')),
        h('p', { role: 'status' }, canceled > 0 && say('messages.canceled_so_far', { count: canceled })),
      ),
  ]
}

import { h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import {
  ComponentsError,
  callOf,
  contentOf,
  type Draft,
  deliver,
  draftKinds,
  draftOf,
  emptyDraft,
} from '../../core/draft.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { useIdempotencyKeys } from '../../core/idempotency-keys.ts'
import type { Network } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { Copyable } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { draftAgain } from './send-again.ts'
import { SendForm } from './send-form.ts'
import { Timeline, useHistory } from './timeline.ts'
import { hasTopics } from './topic-field.ts'
import { useMessage } from './use-message.ts'

/** A form that sends one message, and follows it for as long as one looks. */
export function screen({ me, query }: ScreenProps) {
  const { instance = '', to = '', again } = query
  const kind = draftKinds.find((each) => each === query.kind) ?? emptyDraft.kind
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, instance, to, kind })
  const [error, setError] = useState<unknown>()
  const [progress, setProgress] = useState<number>()
  const [sent, setSent] = useState<string>()
  const keys = useIdempotencyKeys()
  const network = useNetwork(draft.instance)
  // One that was entered for another network is not sent.
  const whole = network && !hasTopics(network) ? { ...draft, topic: '' } : draft
  useEffect(() => {
    if (again !== undefined) fillIn(again, setDraft).catch(setError)
  }, [again])
  const send = async () => {
    setError(undefined)
    setProgress(0)
    try {
      setSent((await deliver(whole, keys.keyFor(contentOf(whole)), setProgress, network)).id)
      keys.done()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setProgress(undefined)
    }
  }
  if (me.key?.role === 'read')
    return h(Screen, { title: say('send.title'), calls: [] }, h('p', null, say('send.may_not')))
  return h(
    Screen,
    {
      title: say('send.title'),
      parent: { title: say('messages.title'), link: linkTo(['messages']) },
      calls: shownCalls(whole, network),
    },
    h(
      'div',
      { class: 'two-columns' },
      h(SendForm, { draft, network, onChange: setDraft, onSend: send, error, progress }),
      sent === undefined
        ? h('p', { class: 'hint' }, say('send.follow_hint'))
        : h(Followed, { key: sent, id: sent }),
    ),
  )
}

/** Fills the form in with what a message was. Its file is read again, if it is still kept. */
async function fillIn(id: string, fill: (draft: Draft) => void): Promise<void> {
  const message = await call('getMessage', { params: { id } })
  const draft = draftOf(message)
  fill(draft)
  if (draft.kind === 'file') fill(await draftAgain(message))
}

/** The call that the form would make now; none while what was entered makes none. */
function shownCalls(draft: Draft, network: Network | undefined): readonly ReturnType<typeof callOf>[] {
  try {
    return [callOf(draft, network)]
  } catch (error) {
    if (error instanceof ComponentsError) return []
    throw error
  }
}

/** The fate of the message that was sent. The focus goes there, so that a person who cannot see hears of it. */
function Followed({ id }: { readonly id: string }) {
  const { data: message, error, reload } = useMessage(id)
  const history = useHistory(id, message)
  const place = useRef<HTMLElement>(null)
  useLayoutEffect(() => place.current?.focus(), [])
  return h(
    'section',
    { class: 'panel', ref: place, tabIndex: -1, 'aria-label': say('send.followed') },
    h('h2', null, say('send.followed')),
    h(Failure, { error, onRetry: reload }),
    message && h('p', { 'aria-live': 'polite' }, h(MessageBadge, { status: message.status })),
    message && h(Timeline, { message, history }),
    h(
      'p',
      null,
      h('a', { href: linkTo(['messages', id]) }, say('send.open')),
      ' ',
      h(Copyable, { text: id }),
    ),
  )
}

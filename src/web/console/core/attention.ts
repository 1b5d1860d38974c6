import { useEffect, useState } from 'preact/hooks'
import type { Message } from '../../../contract/resources/message.ts'
import { number } from '../../browser/numbers.ts'
import { instanceIn, type LiveEvent, messageIn } from './live.ts'
import type { Answer } from './operations.ts'

/*
 * How much waits for a person, for the menu: only as far as screens have read it anyway, and kept current by the events that come
 * anyway. What is not known is not counted.
 */

/** The areas that have something that waits for a person. */
export type WaitingArea = 'instances' | 'conversations' | 'webhooks'

interface Waiting {
  readonly ids: ReadonlySet<string>
  /** True if there may be more that no screen has read. */
  readonly isPart: boolean
}

/** Ids of an area that are kept; what comes beyond them is only said to be more. */
const maxKept = 999

let waiting: Readonly<Partial<Record<WaitingArea, Waiting>>> = {}
const onChange = new Set<() => void>()

function set(area: WaitingArea, known: Waiting | undefined): void {
  waiting = { ...waiting, [area]: known }
  for (const then of onChange) then()
}

/** A screen has read what waits in an area, or, if `isPart`, the beginning of it: that is not taken for more than is known already. */
export function noteWaiting(area: WaitingArea, ids: readonly string[], isPart: boolean): void {
  if (isPart && waiting[area]?.isPart === false) return
  const next = { ids: new Set(ids.slice(0, maxKept)), isPart: isPart || ids.length > maxKept }
  const known = waiting[area]
  const isSame = known?.isPart === next.isPart && known.ids.symmetricDifference(next.ids).size === 0
  if (!isSame) set(area, next)
}

/** One thing waits in an area, or waits no longer. Says nothing if it is not known what else does. */
export function noteOne(area: WaitingArea, id: string, isWaiting: boolean): void {
  const known = waiting[area]
  if (!known || known.ids.has(id) === isWaiting) return
  if (!isWaiting) set(area, { ...known, ids: known.ids.difference(new Set([id])) })
  else if (known.ids.size >= maxKept) set(area, { ...known, isPart: true })
  else set(area, { ...known, ids: new Set([...known.ids, id]) })
}

/** Nothing is known any more, until a screen reads it: events were missed, or another key signs in. */
export function forgetWaiting(): void {
  waiting = {}
  for (const then of onChange) then()
}

/** Notes what an event says. Those of webhooks do not say how they are: their screens read them again. */
export function hearOfWaiting(event: LiveEvent): void {
  const [instance, message] = [instanceIn(event), messageIn(event)]
  if (instance) noteOne('instances', instance.id, event.type !== 'instance.deleted' && needsPerson(instance))
  else if (message && event.type === 'message.received' && countsAsUnread(message))
    noteOne('conversations', conversationKey(message), true)
  else if (event.type.startsWith('webhook.') && event.type !== 'webhook.test') set('webhooks', undefined)
}

/** Returns how much waits in each area, as the menu says it: `3+` if there may be more. Areas in which nothing is known to wait are left out. */
export function useWaiting(): Readonly<Partial<Record<WaitingArea, string>>> {
  const [known, setKnown] = useState(waiting)
  useEffect(() => {
    const hear = () => setKnown(waiting)
    onChange.add(hear)
    hear()
    return () => onChange.delete(hear)
  }, [])
  const counts = Object.entries(known).flatMap(([area, some]) =>
    some && some.ids.size > 0 ? [[area, `${number(some.ids.size)}${some.isPart ? '+' : ''}`]] : [],
  )
  return Object.fromEntries(counts)
}

/** Returns true if an instance waits for its owner or the operator. */
export function needsPerson({
  action,
  restriction,
}: Pick<Answer<'getInstance'>, 'action' | 'restriction'>): boolean {
  return (
    action === 'link' ||
    action === 'relink' ||
    action === 'contact_operator' ||
    (restriction !== null && restriction.scope !== 'none')
  )
}

/** Returns true if a webhook does not deliver as it should. */
export function isIll({
  disabled_reason,
  failing_since,
  lagging_since,
}: Pick<Answer<'getWebhook'>, 'disabled_reason' | 'failing_since' | 'lagging_since'>): boolean {
  return Boolean(disabled_reason || failing_since || lagging_since)
}

/** Returns true for the messages that the server counts as unread. */
export const countsAsUnread = ({ direction, kind }: Pick<Message, 'direction' | 'kind'>) =>
  direction === 'inbound' && kind !== 'reaction' && kind !== 'retraction'

/** The key of the conversation that a message is in, or of a conversation. */
export function conversationKey({
  instance,
  conversation,
}: Pick<Message, 'instance' | 'conversation'>): string {
  return JSON.stringify([instance, conversation])
}

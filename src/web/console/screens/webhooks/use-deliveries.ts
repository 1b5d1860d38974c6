import { useEffect, useRef } from 'preact/hooks'
import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import { type News, useNews } from '../../core/hooks/use-news.ts'
import { type Pages, usePages } from '../../core/hooks/use-pages.ts'
import { type Reread, useReread } from '../../core/hooks/use-reread.ts'
import { instanceIn, type LiveEvent, messageIn, useLive } from '../../core/live.ts'
import { idOf, inOrder, isFurtherBack } from '../../core/newest-first.ts'
import type { Answer, Request } from '../../core/operations.ts'
import type { Delivery, Webhook } from './webhook-badge.ts'

type Page = Answer<'listDeliveries'>

interface Options {
  readonly webhook: Webhook
  readonly request: Request<'listDeliveries'>
  /** Everything is read again when this changes. */
  readonly round: number
  readonly isPaused: boolean
  /** Returns true if the rows must keep their places. */
  readonly isHeld: () => boolean
  /** Called with the webhook, which is read together with its deliveries. */
  readonly onRead: (webhook: Webhook) => void
  /** Called if the webhook is not there any more. */
  readonly onGone: () => void
}

interface Listed {
  readonly pages: Pages<Delivery>
  readonly news: News
  /** Reads them again in a moment, for what is known to have changed. */
  readonly readSoon: () => void
}

/** The deliveries of a webhook, live although no event tells of them. What is new waits to be shown while the rows must not move. */
export function useDeliveries(options: Options): Listed {
  const { webhook, request, round, isPaused, isHeld, onRead, onGone } = options
  const pages = usePages('listDeliveries', request)
  const { items, hasMore, isFull, isLoading, change, reload } = pages
  const filter = JSON.stringify(request)
  const news = useNews(filter, pages, idOf)
  /** Shows what was read; false if some of it must wait. */
  const show = (page: Page): boolean => {
    if (isHeld()) {
      change((shown) => withStates(page, shown))
      for (const { id } of newIn(page, items, hasMore)) news.add(id)
      const next = withRead(page, items, hasMore)
      return next.length === items.length && next.every(({ id }, at) => id === items[at]?.id)
    }
    news.clear()
    if (!isFull && isJoined(page, items)) change((shown, more) => withRead(page, shown, more))
    else if (!isLoading) reload()
    return true
  }
  const last = useRef('')
  const read = async (signal: AbortSignal): Promise<Reread> => {
    const params = { webhook: webhook.id }
    const [told, page] = await Promise.all([
      call('getWebhook', { params }, signal),
      call('listDeliveries', request, signal),
    ])
    const before = last.current
    last.current = JSON.stringify([told, page])
    onRead(told)
    const isAllShown = show(page)
    if (last.current !== before) return 'changed'
    return isAllShown && isSettled(told, page) ? 'settled' : 'waiting'
  }
  const key = `${filter} ${round}`
  const soon = useReread(isPaused ? null : key, (signal) =>
    read(signal).catch((error) => {
      if (error instanceof RefusedError && error.status === 404) onGone()
      throw error
    }),
  )
  useLive((event) => {
    if (concerns(webhook, event)) soon()
  })
  useEffect(() => {
    if (round > 0) reload()
  }, [round])
  useEffect(() => {
    if (round > 0 || !isSettled(webhook)) soon()
  }, [key, isPaused])
  return { pages, news, readSoon: soon }
}

/** Returns true if an event may have been given to a webhook, or is about webhooks. */
function concerns({ enabled, events, instances }: Webhook, event: LiveEvent): boolean {
  if (event.type.startsWith('webhook.')) return true
  const instance = instanceIn(event)?.name ?? messageIn(event)?.instance
  const isOfOne = instance === undefined || (instances?.includes(instance) ?? true)
  return enabled && (events?.includes(event.type) ?? true) && isOfOne
}

/** Returns true if no more is to come of the deliveries. The rate falls for a minute after the last one. */
function isSettled({ pending, rate }: Webhook, page?: Page): boolean {
  return pending === 0 && rate === 0 && !page?.data.some(({ status }) => status === 'pending')
}

/** Returns true if nothing is missing between the first page and the shown deliveries. */
function isJoined({ data, next_cursor }: Page, shown: readonly Delivery[]): boolean {
  return next_cursor === null || data.some(({ id }) => shown.some((each) => each.id === id))
}

/** Returns the shown deliveries, each in the state that was read. */
function withStates({ data }: Page, shown: readonly Delivery[]): readonly Delivery[] {
  const told = new Map(data.map((each) => [each.id, each]))
  return shown.map((each) => told.get(each.id) ?? each)
}

/** Returns the deliveries that were read and are not shown. */
function newIn({ data }: Page, shown: readonly Delivery[], hasMore: boolean): readonly Delivery[] {
  const known = new Set(shown.map(({ id }) => id))
  return data.filter((each) => !known.has(each.id) && !isFurtherBack(each, shown, hasMore))
}

/**
 * Returns the shown deliveries with the first page as it was read: new ones are added, and those that the filter no longer
 * finds are gone.
 */
function withRead(page: Page, shown: readonly Delivery[], hasMore: boolean): readonly Delivery[] {
  const read = new Set(page.data.map(({ id }) => id))
  const found = withStates(page, shown).filter(
    (each) => read.has(each.id) || isFurtherBack(each, page.data, page.next_cursor !== null),
  )
  return newIn(page, shown, hasMore).reduce<readonly Delivery[]>(
    (all, each) => inOrder(all, each, idOf),
    found,
  )
}

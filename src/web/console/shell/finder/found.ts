import { useEffect, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Me } from '../../core/me.ts'
import type { Answer, OperationId } from '../../core/operations.ts'
import { fromHere, linkTo } from '../../core/router.ts'
import { tell } from '../../parts/notices.ts'
import { mayLinkAgain, ordersFor } from '../../screens/instances/possible-orders.ts'
import { say } from '../../words/say.ts'
import { type Entry, wordsOf } from './entry.ts'
import { instanceEntry } from './known.ts'

/** Milliseconds after the last key before the server is asked. */
const pause = 200
/** The most instances, and the most people and groups, that are shown. */
const maxFound = 5

interface Found {
  readonly entries: readonly Entry[]
  /** True until the server has said what it finds. */
  readonly isAsking: boolean
}

const nothing: Found = { entries: [], isAsking: false }

/** Returns instances, orders to them, people and groups that the server finds. What fails is left out: the palette is a way, not a list. */
export function useFound(me: Me, typed: string): Found {
  const [found, setFound] = useState<{ readonly typed: string; readonly entries: readonly Entry[] }>()
  const isAsked = typed !== '' && me.kind === 'key' && !isMessageId(typed)
  useEffect(() => {
    if (!isAsked) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const show = (entries: readonly Entry[]) => abort.signal.aborted || setFound({ typed, entries })
      find(me, typed, abort.signal).then(show, () => show([]))
    }, pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [typed])
  if (!isAsked) return nothing
  return found?.typed === typed ? { ...found, isAsking: false } : { entries: [], isAsking: true }
}

/** Returns the ways to search the messages: by the id that was typed, or for its words. */
export function searchEntries(me: Me, typed: string): Entry[] {
  if (me.kind !== 'key' || typed === '') return []
  return isMessageId(typed)
    ? [
        {
          id: 'message',
          icon: 'mail',
          text: say('frame.find_message', { id: typed }),
          link: linkTo(['messages', typed]),
        },
      ]
    : [
        {
          id: 'words',
          icon: 'search',
          text: say('frame.find_words', { words: typed }),
          link: linkTo(['messages'], { text: typed }),
        },
      ]
}

const isMessageId = (typed: string) => /^msg_\w+$/.test(typed)

type Instance = Answer<'listInstances'>['data'][number]

async function find(me: Me, typed: string, signal: AbortSignal): Promise<Entry[]> {
  const isAdmin = me.key?.role === 'admin'
  // “stop shop” names an order and an instance.
  const rest = isAdmin ? wordsBesideOrders(typed) : typed
  const searches = [...new Set([typed, rest])].map((search) =>
    call('listInstances', { query: { limit: maxFound, ...(search === '' ? {} : { search }) } }, signal),
  )
  const [people, ...pages] = await Promise.all([
    call('listConversations', { query: { search: typed, limit: maxFound } }, signal),
    ...searches,
  ])
  const named = pages[0]?.data ?? []
  const ordered = pages.at(-1)?.data ?? []
  const isOrdering = rest !== typed
  return [
    ...(isAdmin && isOrdering ? ordered.flatMap((instance) => ordersTo(instance, typed)) : []).slice(
      0,
      maxFound,
    ),
    ...named.map(({ name, network }) => instanceEntry(name, network)),
    ...(isAdmin && !isOrdering && named.length === 1
      ? named.flatMap((instance) => ordersTo(instance, ''))
      : []),
    ...people.data.map(personEntry),
  ]
}

function personEntry(person: Answer<'listConversations'>['data'][number]): Entry {
  const { instance, conversation: address, name = null, kind } = person
  return {
    id: `person:${instance}:${address}`,
    icon: kind === 'group' ? 'people' : 'person',
    text: name ?? address,
    note: instance,
    link: linkTo(['conversations', instance, address]),
  }
}

const orders = {
  start: { operation: 'startInstance', text: (name: string) => say('frame.orders.start', { name }) },
  stop: { operation: 'stopInstance', text: (name: string) => say('frame.orders.stop', { name }) },
  restart: { operation: 'restartInstance', text: (name: string) => say('frame.orders.restart', { name }) },
} as const satisfies Record<string, { operation: OperationId; text: (name: string) => string }>
const linkAgainText = (name: string) => say('frame.orders.link_again', { name })

/** Returns true if a typed word begins a word of an order. A single letter begins too many. */
const begins = (typed: string, text: string) =>
  typed.length > 1 && wordsOf(text).some((word) => word.startsWith(typed))

function wordsBesideOrders(typed: string): string {
  const all = [...Object.values(orders).map(({ text }) => text('')), linkAgainText('')].join(' ')
  return typed
    .split(/\s+/)
    .filter((word) => !begins(wordsOf(word)[0] ?? '', all))
    .join(' ')
}

/** Returns the orders that an instance takes now and that the typed words may mean. */
function ordersTo(instance: Instance, typed: string): Entry[] {
  const { name, network } = instance
  const words = wordsOf(typed)
  const isMeant = (text: string) =>
    words.every((word) => begins(word, text) || plainOf(instance).includes(word))
  const given = ordersFor(instance).map((order): Entry & { readonly verb: string } => {
    const { operation, text } = orders[order]
    return {
      id: `${order}:${name}`,
      icon: 'plug',
      text: text(name),
      note: network,
      verb: text(''),
      isOrder: true,
      act: () => tell(() => call(operation, { params: { name } }), say(`frame.ordered.${order}`, { name })),
    }
  })
  const linking = mayLinkAgain(instance)
    ? [
        {
          id: `link:${name}`,
          icon: 'phone' as const,
          text: linkAgainText(name),
          note: network,
          verb: linkAgainText(''),
          isOrder: true as const,
          act: () => tell(() => linkAgain(instance)),
        },
      ]
    : []
  return [...linking, ...given].filter(({ verb }) => isMeant(verb))
}

/** Everything by which the server may have found an instance. */
const plainOf = ({ name, network, account, metadata }: Instance) =>
  wordsOf(
    [name, network, account?.address, account?.display_name, ...Object.values(metadata)].join(' '),
  ).join(' ')

/** Begins a link by a QR code if the network has any, and leads to the page of the instance, which goes on from there. */
async function linkAgain({ name, network }: Instance): Promise<void> {
  const goOn = fromHere()
  const networks = await call('listNetworks')
  const links = networks.data.find((one) => one.network === network)?.abilities.links
  if (links?.includes('qr')) await call('startLink', { params: { name }, body: { kind: 'qr' } })
  goOn(['instances', name])
}

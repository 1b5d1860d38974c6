import type { ObservedConnection } from '../observed-connection.ts'
import type { Peer } from './scripted-server.ts'

/** Features of an account whose messages the server archives (XEP-0313). */
export const archiveFeatures = ['urn:xmpp:mam:2', 'urn:xmpp:sid:0']

/** A question of the gateway to the archive. */
export interface Asked {
  /** Of the question, and of the results that belong to it. */
  readonly id: string
  readonly queryId: string
  /** Bounds of the page, by message and by time; empty if the question does not say. */
  readonly after: string
  readonly before: string
  readonly start: string
}

/** The next page that the gateway asks for. */
export async function isAskedForPage(peer: Peer): Promise<Asked> {
  const read = await peer.reads(/<iq [^>]*type="set".*?<query xmlns="urn:xmpp:mam:2".*?<\/iq>/s)
  const xml = read.slice(read.lastIndexOf('<iq '))
  const found = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? ''
  return {
    id: found(/<iq [^>]* id="([^"]*)"/),
    queryId: found(/ queryid="([^"]*)"/),
    after: found(/<after>([^<]*)<\/after>/),
    before: found(/<before>([^<]*)<\/before>/),
    start: found(/var="start"[^>]*><value>([^<]*)</),
  }
}

/** A message as it was sent, with its content. */
export function message(body: string, from = 'ana@far.test/phone', more = ''): string {
  return `<message xmlns='jabber:client' from='${from}' to='gateway@far.test' type='chat' id='sent-${body}'><body>${body}</body>${more}</message>`
}

/** A message as the server files it under an id. */
export function archived(body: string, id: string): string {
  return message(body, undefined, `<stanza-id xmlns='urn:xmpp:sid:0' by='gateway@far.test' id='${id}'/>`)
}

/** A message inside of another one (XEP-0297). */
export function forwarded(inner: string, stamp = '2025-01-01T10:00:00Z'): string {
  const delay = `<delay xmlns='urn:xmpp:delay' stamp='${stamp}'/>`
  return `<forwarded xmlns='urn:xmpp:forward:0'>${delay}${inner}</forwarded>`
}

/** One entry of a page. `from` is the whole attribute. */
export function entry(
  { queryId }: Asked,
  id: string,
  inner: string,
  from = `from='gateway@far.test'`,
): string {
  const result = `<result xmlns='urn:xmpp:mam:2' queryid='${queryId}' id='${id}'>${inner}</result>`
  return `<message ${from} to='gateway@far.test/posthorn'>${result}</message>`
}

/** The end of a page: the last one, or one behind whose last entry there is more. */
export function ending({ id }: Asked, last: string | null): string {
  const set = `<set xmlns='http://jabber.org/protocol/rsm'>${last === null ? '' : `<last>${last}</last>`}</set>`
  const fin = `<fin xmlns='urn:xmpp:mam:2' ${last === null ? `complete='true'` : ''}>${set}</fin>`
  return `<iq type='result' id='${id}' from='gateway@far.test'>${fin}</iq>`
}

/** The refusal of a page. */
export function refusal({ id }: Asked, condition: string): string {
  const reason = `<${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>`
  return `<iq type='error' id='${id}' from='gateway@far.test'><error type='cancel'>${reason}</error></iq>`
}

/** A gateway that has everything up to the entry `archive-7`, and has missed nothing until the beginning of 2025. */
export const behindSeven = {
  caughtUp: async () => ({ mark: 'archive-7', at: Date.UTC(2025, 0, 1) }),
}

/** Returns the texts in the order of the reports, the marks up to which all is told, and the opening of the connection. */
export function reported({ observations }: ObservedConnection): readonly (string | null)[] {
  return observations.flatMap((seen) => {
    if (seen.kind === 'message-received') return [seen.text]
    if (seen.kind === 'caught-up') return [seen.through === null ? 'caught up' : `through ${seen.through}`]
    return seen.kind === 'connection-opened' ? ['opened'] : []
  })
}

/** Ends a play: what was written before this has been seen when this is. */
export const last = message('last')

export async function seesLast(observed: ObservedConnection): Promise<void> {
  await observed.sees('message-received', ({ text }) => text === 'last')
}

import type { Peer } from './scripted-server.ts'

/** A question of the gateway, as the server of a script has it. */
export interface Question {
  readonly id: string
  readonly to: string
  readonly xml: string
}

/** The next question that the gateway asks by iq. */
export async function isAsked(peer: Peer): Promise<Question> {
  const read = await peer.reads(/<iq [^>]*type="get".*?<\/iq>/s)
  const xml = read.slice(read.lastIndexOf('<iq '))
  const [, id = ''] = / id="([^"]*)"/.exec(xml) ?? []
  const [, to = ''] = / to="([^"]*)"/.exec(xml) ?? []
  return { id, to, xml }
}

/** Answers a request, by default in the name of the one who was asked. */
export async function answers(
  peer: Peer,
  { id, to }: Question,
  payload: string,
  from = to,
  type: 'result' | 'error' = 'result',
): Promise<void> {
  await peer.writes(
    `<iq type='${type}' id='${id}' from='${from}' to='gateway@far.test/posthorn'>${payload}</iq>`,
  )
}

const uploadNs = 'urn:xmpp:http:upload:0'
const discovery = 'http://jabber.org/protocol/disco'

/** Announces a service of a server: the one for uploads, or another one. `more` is added. */
export function introduction(takesFiles: boolean, more = ''): string {
  const feature = `<feature var='${takesFiles ? uploadNs : 'urn:xmpp:other'}'/>`
  return `<query xmlns='${discovery}#info'>${feature}${more}</query>`
}

/** The form of `namespace` in which a service announces the largest file that it takes (XEP-0128). */
export function announcement(largest: string, namespace = uploadNs): string {
  const fields = [
    ['FORM_TYPE', namespace],
    ['max-file-size', largest],
  ].map(([name, value]) => `<field var='${name}'><value>${value}</value></field>`)
  return `<x xmlns='jabber:x:data' type='result'>${fields.join('')}</x>`
}

export function list(addresses: readonly string[]): string {
  const items = addresses.map((address) => `<item jid='${address}'/>`).join('')
  return `<query xmlns='${discovery}#items'>${items}</query>`
}

export function isForList({ xml }: Question): boolean {
  return xml.includes(`${discovery}#items`)
}

export function isForIntroduction({ xml }: Question): boolean {
  return xml.includes(`${discovery}#info`)
}

/** A slot that leads to `put`, with the given elements inside that. */
export function slot(put: string, inside = '', get = 'https://far.test/one.bin'): string {
  return `<slot xmlns='${uploadNs}'><put url='${put}'>${inside}</put><get url='${get}'/></slot>`
}

/** Has the service `upload.far.test` found, up to the question for a slot, which is returned. */
export async function isAskedForSlot(peer: Peer): Promise<Question> {
  for (;;) {
    const question = await isAsked(peer)
    if (isForList(question)) await answers(peer, question, list(['upload.far.test', 'chat.far.test']))
    else if (isForIntroduction(question))
      await answers(peer, question, introduction(question.to === 'upload.far.test'))
    else return question
  }
}

/** Stanzas of the gateway before the message after its first file: the presence and five questions. */
export const stanzasBefore = 6

/** Directs the gateway's first file to a URL, and acknowledges the message after it. */
export async function takesFile(peer: Peer, place: string): Promise<void> {
  await peer.begins()
  await answers(peer, await isAskedForSlot(peer), place)
  await peer.reads(/<message .*<r [^>]*>/s)
  await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='${stanzasBefore + 1}'/>`)
}

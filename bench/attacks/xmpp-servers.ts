import {
  endlessChats,
  hostileServers,
  logIn,
  type Misbehaviour,
  writeForever,
} from '../../test/kit/attacks/hostile-servers.ts'
import { scramOnly } from '../../test/kit/networks/xmpp/scripted-server.ts'
import type { Attack } from './attack.ts'

/** An attack by the servers of some instances of one organization: what they do on each connection. */
const byServer =
  (misbehave: Misbehaviour, instances = 8): Attack =>
  async (target) => {
    await hostileServers(target, instances, misbehave)
  }

/** Text between stanzas, which a parser may keep for ever. */
export const textBetweenStanzas = byServer(async (peer) => {
  await logIn(peer)
  await writeForever(peer.socket, () => `${'x'.repeat(4_000)}<a/>`.repeat(16))
})

/** Pings whose answers the server never reads. */
export const unreadAnswers = byServer(async (peer) => {
  await logIn(peer)
  peer.socket.pause()
  const ping = `<iq type='get' id='p' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`
  await writeForever(peer.socket, () => ping.repeat(500))
})

/** Stanzas as small as can be, as fast as they are taken. */
export const tinyStanzas = byServer(async (peer) => {
  await logIn(peer)
  await writeForever(peer.socket, () => '<message/>'.repeat(6_000))
})

/** A list of features that never ends. */
export const endlessFeatures = byServer(async (peer) => {
  await peer.reads(/<stream:stream[^>]*>/)
  await peer.writes(
    `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' ` +
      `id='s' from='far.test' version='1.0'><stream:features>`,
  )
  await writeForever(peer.socket, () => `<a>${'x'.repeat(4_000)}</a>`.repeat(16))
})

/** A login that asks for five million rounds of hashing. */
export const costlyLogin = byServer(async (peer) => {
  await peer.opens(scramOnly)
  const auth = await peer.reads(/<auth [^>]*>[^<]*<\/auth>/)
  const first = Buffer.from(/>([^<]*)</.exec(auth)?.[1] ?? '', 'base64').toString()
  const nonce = /r=([^,]*)/.exec(first)?.[1]
  const challenge = `r=${nonce}more,s=${Buffer.from('salt').toString('base64')},i=5000000`
  await peer.writes(
    `<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${Buffer.from(challenge).toString('base64')}</challenge>`,
  )
})

/** Chats without end, to 30 instances. */
export const manyChats = byServer(endlessChats, 30)

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { bind, Peer, scramOnly } from '../../test/kit/networks/scripted-server.ts'
import { type Attack, createInstance } from './attack.ts'

const instances = 8

/** An attack by the server of some instances of one organization: what it does on each connection. */
const byServer =
  (misbehave: (peer: Peer) => Promise<void>): Attack =>
  async (target) => {
    const server = createServer((socket) => void misbehave(new Peer(socket)).catch(() => {}))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (let number = 0; number < instances; number++) {
      await createInstance(target, {
        name: `hostile-${number}`,
        network: 'xmpp',
        settings: {
          address: `account-${number}@far.test`,
          service: `xmpp://127.0.0.1:${port}`,
          allow_plaintext: true,
        },
        credentials: { password: 'secret' },
      })
    }
  }

/** Writes the same again and again, as fast as it is taken, until the connection ends. */
async function writeForever(socket: Socket, text: string): Promise<void> {
  while (!socket.destroyed) {
    if (socket.write(text)) await new Promise((resolve) => setImmediate(resolve))
    else await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
}

async function logIn(peer: Peer): Promise<void> {
  await peer.logsIn(bind)
  await peer.reads(/<iq [^>]*id="bind".*?<\/iq>/)
  await peer.writes(
    `<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>account@far.test/a</jid></bind></iq>`,
  )
}

/** Text between stanzas, which a parser may keep for ever. */
export const textBetweenStanzas = byServer(async (peer) => {
  await logIn(peer)
  await writeForever(peer.socket, `${'x'.repeat(4_000)}<a/>`.repeat(16))
})

/** Pings whose answers the server never reads. */
export const unreadAnswers = byServer(async (peer) => {
  await logIn(peer)
  peer.socket.pause()
  const ping = `<iq type='get' id='p' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`
  await writeForever(peer.socket, ping.repeat(500))
})

/** Stanzas as small as can be, as fast as they are taken. */
export const tinyStanzas = byServer(async (peer) => {
  await logIn(peer)
  await writeForever(peer.socket, '<message/>'.repeat(6_000))
})

/** A list of features that never ends. */
export const endlessFeatures = byServer(async (peer) => {
  await peer.reads(/<stream:stream[^>]*>/)
  await peer.writes(
    `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' ` +
      `id='s' from='far.test' version='1.0'><stream:features>`,
  )
  await writeForever(peer.socket, `<a>${'x'.repeat(4_000)}</a>`.repeat(16))
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

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { bind, Peer } from '../networks/xmpp/scripted-server.ts'
import { Attacker, type Attacking } from './attacker.ts'

/** The course of an XMPP server on each connection; they are counted over all servers. */
export type Misbehaviour = (peer: Peer, connection: number) => Promise<void>

/** Starts so many such servers, and creates an instance for each. Resolves with how to end them. */
export async function hostileServers(
  attacking: Attacking,
  count: number,
  misbehave: Misbehaviour,
): Promise<() => void> {
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  let connections = 0
  const attacker = new Attacker(attacking)
  await attacker.forEach(count, async (number) => {
    const address = `account-${number}@far.test`
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      const peer = new Peer(socket)
      peer.account = address
      void misbehave(peer, connections++).catch(() => {})
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await attacker.createInstance(`hostile-${number}`, {
      network: 'xmpp',
      settings: { address, service: `xmpp://127.0.0.1:${port}`, allow_plaintext: true },
      credentials: { password: 'secret' },
    })
  })
  attacker.end()
  return () => {
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  }
}

/** Writes what comes next, as fast as it is taken, until the connection ends. */
export async function writeForever(socket: Socket, next: () => string): Promise<void> {
  while (!socket.destroyed) {
    if (socket.write(next())) await new Promise((resolve) => setImmediate(resolve))
    else await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
}

/** Lets the gateway log in, and nothing more. */
export async function logIn(peer: Peer): Promise<void> {
  await peer.logsIn(bind)
  await peer.reads(/<iq [^>]*id="bind".*?<\/iq>/)
  await peer.writes(
    `<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>account@far.test/a</jid></bind></iq>`,
  )
}

const chatsAtOnce = 100

/** Reactions without end of one person, each to another message (XEP-0444 section 3.2). */
export const endlessReactions: Misbehaviour = async (peer, connection) => {
  await peer.logsIn(bind)
  await peer.binds()
  let next = 0
  await writeForever(peer.socket, () => {
    const reactions = Array.from({ length: chatsAtOnce }, () => {
      const id = `r${connection}-${next++}`
      return (
        `<message type='chat' id='${id}' from='fan@far.test/phone'>` +
        `<reactions xmlns='urn:xmpp:reactions:0' id='m${id}'><reaction>👍</reaction></reactions></message>`
      )
    })
    return reactions.join('')
  })
}

/** Chats without end from unknown people, each message another one. */
export const endlessChats: Misbehaviour = async (peer, connection) => {
  await peer.logsIn(bind)
  await peer.binds()
  let next = 0
  await writeForever(peer.socket, () => {
    const chats = Array.from({ length: chatsAtOnce }, () => {
      const id = `c${connection}-${next++}`
      return `<message type='chat' id='${id}' from='buyer-${next % 50}@far.test/phone'><body>Buy now! ${id}</body></message>`
    })
    return chats.join('')
  })
}

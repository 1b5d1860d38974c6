import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { Certified } from './certificates.ts'

/** A proxy at 127.0.0.1, for tests. */
export interface TestProxy {
  readonly port: number
  /** Destinations that it was asked to connect to, as `host:port`, with or without success. */
  readonly asked: string[]
  /** Number of connections that came to it. */
  readonly taken: number
}

export interface ProxyWish {
  /** The ports of servers at 127.0.0.1, by the names that only this proxy knows, as `host:port`. */
  readonly routes?: Readonly<Record<string, number>>
  /** If given, a client with other credentials is refused. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Its misbehaviour with each connection, instead of being a proxy. */
  readonly misbehave?: (socket: Socket) => void
  /** If given, it is spoken to over TLS. */
  readonly certified?: Certified
}

type Serve = (socket: Socket, wish: ProxyWish, asked: string[]) => Promise<void>

/** A proxy for CONNECT of HTTP, with Basic authentication if it has credentials. */
export function startHttpProxy(t: TestContext, wish: ProxyWish): Promise<TestProxy> {
  return start(t, wish, serveHttp)
}

/** A proxy for SOCKS5, with user name and password (RFC 1929) if it has credentials. */
export function startSocksProxy(t: TestContext, wish: ProxyWish): Promise<TestProxy> {
  return start(t, wish, serveSocks)
}

async function start(t: TestContext, wish: ProxyWish, serve: Serve): Promise<TestProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  let taken = 0
  const take = (socket: Socket) => {
    taken++
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    if (wish.misbehave) wish.misbehave(socket)
    else serve(socket, wish, asked).catch(() => socket.destroy())
  }
  const server: Server = wish.certified ? createTlsServer(wish.certified, take) : createServer(take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    get taken() {
      return taken
    },
  }
}

async function serveHttp(socket: Socket, { routes, credentials }: ProxyWish, asked: string[]): Promise<void> {
  let head = ''
  while (!head.includes('\r\n\r\n')) head += (await take(socket)).toString('latin1')
  const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1]
  if (target === undefined) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  asked.push(target)
  const shown = /\r\nproxy-authorization: Basic (\S+)\r\n/i.exec(head)?.[1] ?? ''
  const wanted = credentials && `${credentials.username}:${credentials.password}`
  if (wanted !== undefined && Buffer.from(shown, 'base64').toString() !== wanted)
    return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 2\r\n\r\nno')
  const port = routes?.[target]
  if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  const far = await reach(port)
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  join(socket, far)
}

async function serveSocks(
  socket: Socket,
  { routes, credentials }: ProxyWish,
  asked: string[],
): Promise<void> {
  const offered = await take(socket)
  const method = credentials ? 2 : 0
  if (!offered.subarray(2).includes(method)) return void socket.end(Buffer.from([5, 255]))
  socket.write(Buffer.from([5, method]))
  if (credentials) {
    const shown = await take(socket)
    const [, nameLength = 0] = shown
    const username = shown.subarray(2, 2 + nameLength).toString()
    const password = shown.subarray(3 + nameLength).toString()
    const isRight = username === credentials.username && password === credentials.password
    socket.write(Buffer.from([1, isRight ? 0 : 1]))
    if (!isRight) return void socket.end()
  }
  const order = await take(socket)
  const end = order.length - 2
  const host =
    order[3] === 3
      ? order.subarray(5, end).toString()
      : order[3] === 1
        ? order.subarray(4, end).join('.')
        : '?'
  const target = `${host}:${order.readUInt16BE(end)}`
  asked.push(target)
  const port = routes?.[target]
  if (port === undefined) return void socket.end(Buffer.from([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]))
  const far = await reach(port)
  const bound = Buffer.from('bound.test')
  socket.write(Buffer.concat([Buffer.from([5, 0, 0, 3, bound.length]), bound, Buffer.from([0, 80])]))
  join(socket, far)
}

/** The next bytes. Clients of these proxies write each step at once. */
async function take(socket: Socket): Promise<Buffer> {
  const [bytes] = await once(socket, 'data')
  return bytes as Buffer
}

async function reach(port: number): Promise<Socket> {
  const far = connect(port, '127.0.0.1')
  await once(far, 'connect')
  return far
}

function join(socket: Socket, far: Socket): void {
  far.on('error', () => socket.destroy())
  socket.on('close', () => far.destroy())
  socket.pipe(far).pipe(socket)
}

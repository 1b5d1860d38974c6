import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { NetFailure } from '../failure.ts'
import { type DialTarget, hungUp, malformedResponse, type ProxyCredentials } from './proxy.ts'

const version = 5
const authenticationVersion = 1
const connectCommand = 1
const methods = { none: 0, password: 2, noneAcceptable: 255 } as const
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const

/** Why a proxy did not connect, in the order of RFC 1928 section 6. */
const refusals = [
  'it failed in general',
  'its rules do not allow it',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
  'it took too long',
  'it does not know the command',
  'it does not know this kind of address',
] as const

/**
 * Has a SOCKS5 proxy connect an open connection to the target, whose name the proxy resolves (RFC 1928, RFC 1929). Rejects with
 * a NetFailure. Reads no more than the responses, which have at most 262 bytes.
 */
export async function socksTunnel(
  socket: Socket,
  target: DialTarget,
  credentials: ProxyCredentials | null,
): Promise<Socket> {
  await agreeOnMethod(socket, credentials)
  socket.write(Buffer.from([version, connectCommand, 0, ...addressOf(target)]))
  const [answered, reply = 0, , addressType] = await take(socket, 4)
  if (answered !== version) throw malformedResponse()
  if (reply !== 0) throw refused(reply)
  await take(socket, (await addressBytes(socket, addressType)) + 2)
  return socket
}

async function agreeOnMethod(socket: Socket, credentials: ProxyCredentials | null): Promise<void> {
  const offered = credentials ? [methods.none, methods.password] : [methods.none]
  socket.write(Buffer.from([version, offered.length, ...offered]))
  const [answered, method] = await take(socket, 2)
  if (answered !== version) throw malformedResponse()
  if (method === methods.noneAcceptable) throw authenticationRefused()
  if (method === methods.none) return
  if (method !== methods.password || !credentials) throw malformedResponse()
  const { username, password } = credentials
  socket.write(Buffer.from([authenticationVersion, ...withLength(username), ...withLength(password)]))
  const [, status] = await take(socket, 2)
  if (status !== 0) throw authenticationRefused()
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

function addressOf({ host, port }: DialTarget): Buffer {
  const family = isIP(host)
  const address =
    family === 0
      ? Buffer.concat([Buffer.from([addressTypes.name]), withLength(host)])
      : Buffer.from([
          family === 4 ? addressTypes.ipv4 : addressTypes.ipv6,
          ...ipaddr.parse(host).toByteArray(),
        ])
  return Buffer.concat([address, Buffer.from([port >> 8, port & 0xff])])
}

/** Resolves with the bytes of the address that follows; only the proxy knows its meaning. */
async function addressBytes(socket: Socket, type: number | undefined): Promise<number> {
  if (type === addressTypes.ipv4) return 4
  if (type === addressTypes.ipv6) return 16
  if (type === addressTypes.name) return (await take(socket, 1))[0] ?? 0
  throw malformedResponse()
}

function authenticationRefused(): NetFailure {
  return new NetFailure('authentication', true, 'the proxy wants other credentials')
}

function refused(reply: number): NetFailure {
  const why = refusals[reply - 1] ?? 'it does not say why'
  return new NetFailure('unreachable', false, `the proxy did not connect to the server: ${why}`)
}

/** Takes so many bytes from a socket that has no other reader, and leaves the rest there. */
function take(socket: Socket, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = (taken: Buffer | null) => {
      socket.off('readable', look)
      socket.off('close', hangUp)
      if (taken?.length === size) resolve(taken)
      else reject(hungUp())
    }
    const hangUp = () => end(null)
    const look = () => {
      const taken: Buffer | null = socket.read(size)
      if (taken || socket.destroyed) end(taken)
    }
    socket.on('readable', look)
    socket.once('close', hangUp)
    look()
  })
}

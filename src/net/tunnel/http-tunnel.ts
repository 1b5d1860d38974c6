import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { requestHttp } from '../../runtime/system/http.ts'
import { NetFailure } from '../failure.ts'
import { type DialTarget, hungUp, malformedResponse, type ProxyCredentials } from './proxy.ts'

/** The longest header of a response, in bytes. */
const longestHeader = 8 * 1024

const headerOverflow = 'HPE_HEADER_OVERFLOW'

/**
 * Has an HTTP proxy connect an open connection to the target (RFC 9110 section 9.3.6). Rejects with a NetFailure. Node's
 * parser bounds the header and stops at its end; what follows is left on the socket.
 */
export function httpTunnel(
  socket: Socket,
  { host, port }: DialTarget,
  credentials: ProxyCredentials | null,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`
    const asking = requestHttp({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorization(credentials) },
      // With an agent, Node would not call this.
      createConnection: () => socket,
      maxHeaderSize: longestHeader,
    })
    // It would speak of the tunnel.
    asking.removeHeader('connection')
    asking.once('connect', (answer, _socket, rest) => {
      const failure = failureIn(answer)
      if (failure) return reject(failure)
      if (rest.length > 0) socket.unshift(rest)
      resolve(socket)
    })
    asking.once('error', (error) => reject(failureOf(error)))
    asking.end()
  })
}

function authorization(credentials: ProxyCredentials | null): Record<string, string> {
  if (!credentials) return {}
  const { username, password } = credentials
  return { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

function failureIn({ statusCode = 0 }: IncomingMessage): NetFailure | null {
  if (statusCode >= 200 && statusCode <= 299) return null
  if (statusCode === 407)
    return new NetFailure('authentication', true, 'the proxy wants other credentials (407)')
  return new NetFailure('unreachable', false, `the proxy did not connect to the server (${statusCode})`)
}

function failureOf(error: Error): NetFailure {
  const code = 'code' in error ? String(error.code) : ''
  if (code === headerOverflow)
    return new NetFailure('malformed', false, 'the proxy sent a longer response than this server reads')
  return code.startsWith('HPE_') ? malformedResponse() : hungUp()
}

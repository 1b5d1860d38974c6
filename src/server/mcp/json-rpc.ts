/*
 * The messages of the Model Context Protocol, as they come in the body of a request: JSON-RPC 2.0, in the revision without sessions
 * (2026-07-28) and in those that begin with `initialize`. https://modelcontextprotocol.io/specification/2026-07-28/basic
 */

/** The revision in which every request says everything about itself, and there is neither handshake nor session. */
export const statelessRevision = '2026-07-28'
/** Revisions that begin with a handshake, the newest first. For their requests, no session is needed here either. */
export const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export const rpcErrors = {
  unreadable: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
} as const

export type RpcId = string | number

export type RpcParams = Readonly<Record<string, unknown>>

export interface RpcRequest {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: RpcParams
  /** True for a request of the revision without sessions. */
  readonly isStateless: boolean
}

export interface RpcFailure {
  readonly kind: 'failure'
  /** The status of the HTTP response. */
  readonly status: number
  readonly id: RpcId | null
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A message that gets no response, such as the end of a handshake. */
export interface RpcNotification {
  readonly kind: 'notification'
}

/** Headers of a request, of which some repeat parts of the body, for proxies that do not read it. */
export type RpcHeaders = Readonly<Record<string, string | string[] | undefined>>

const revisionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

const maxIdLength = 255

/** Reads a message from a body that was parsed. Never throws. */
export function readRpc(body: unknown, headers: RpcHeaders): RpcRequest | RpcNotification | RpcFailure {
  if (Array.isArray(body))
    return refused(null, rpcErrors.invalidRequest, 'Send one message in a request: batches are not read.')
  if (!isObject(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string')
    return refused(null, rpcErrors.invalidRequest, 'Send a JSON-RPC 2.0 request as an object.')
  if (!('id' in body)) return { kind: 'notification' }
  const { id, method, params = {} } = body
  if (!isId(id))
    return refused(
      null,
      rpcErrors.invalidRequest,
      `The id must be a number or a string of at most ${maxIdLength} characters.`,
    )
  if (!isObject(params)) return refused(id, rpcErrors.invalidParams, '`params` must be an object.')
  const meta = isObject(params._meta) ? params._meta : {}
  const named = revisionIn(headers)
  const isStateless = revisionKey in meta || named === statelessRevision
  const fault = isStateless ? statelessFault({ method, params, meta, headers }) : handshakeFault(named)
  if (fault) return { ...fault, id }
  return { kind: 'request', id, method, params, isStateless }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the failure of a message that is refused before its method is looked at. */
export function refused(id: RpcId | null, code: number, message: string, data?: unknown): RpcFailure {
  return { kind: 'failure', status: 400, id, code, message, ...(data === undefined ? {} : { data }) }
}

function isId(id: unknown): id is RpcId {
  return Number.isFinite(id) || (typeof id === 'string' && id.length <= maxIdLength)
}

function revisionIn(headers: RpcHeaders): string | undefined {
  return headerOf(headers['mcp-protocol-version'])
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value).trim()
}

function handshakeFault(named: string | undefined): RpcFailure | undefined {
  const isKnown = named === undefined || handshakeRevisions.some((revision) => revision === named)
  return isKnown ? undefined : unsupported(named)
}

/** The failure of a revision that is none of ours, which is not repeated if it is longer than a date. */
function unsupported(named: unknown): RpcFailure {
  const requested = typeof named === 'string' && /^[\d-]{1,10}$/.test(named) ? named : 'unknown'
  const supported = [statelessRevision, ...handshakeRevisions]
  const message = `The revision of the protocol is not supported. Use ${supported.join(', ')}.`
  return refused(null, rpcErrors.unsupportedRevision, message, { supported, requested })
}

interface StatelessParts {
  readonly method: string
  readonly params: RpcParams
  readonly meta: RpcParams
  readonly headers: RpcHeaders
}

/** The failure of a request without sessions whose parts are missing, or differ between headers and body. */
function statelessFault({ method, params, meta, headers }: StatelessParts): RpcFailure | undefined {
  const revision = meta[revisionKey]
  if (typeof revision !== 'string' || !isObject(meta[capabilitiesKey]))
    return refused(
      null,
      rpcErrors.invalidParams,
      `\`_meta\` must have \`${revisionKey}\` and \`${capabilitiesKey}\`.`,
    )
  if (revision !== statelessRevision) return unsupported(revision)
  const mirrored = [
    ['MCP-Protocol-Version', revisionIn(headers), revision],
    ['Mcp-Method', headerOf(headers['mcp-method']), method],
    ...(method === 'tools/call'
      ? [['Mcp-Name', decoded(headerOf(headers['mcp-name'])), params.name] as const]
      : []),
  ] as const
  const other = mirrored.find(([, header, value]) => header !== value)
  return (
    other &&
    refused(
      null,
      rpcErrors.headerMismatch,
      `The header \`${other[0]}\` must be there, and say what the body says.`,
    )
  )
}

/** Names that a header cannot carry come in Base64, between marks. */
function decoded(header: string | undefined): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header ?? '')?.[1]
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8')
}

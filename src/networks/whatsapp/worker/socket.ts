import {
  type BinaryNode,
  DisconnectReason,
  getBinaryNodeChild,
  makeWASocket,
  S_WHATSAPP_NET,
  type SocketConfig,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import { GuardedAgent } from '../../../net/dial/agent.ts'
import { outboundGuard } from '../../../net/guard/guard.ts'
import type { PartyNames } from '../../../net/resolve/names.ts'
import { setDeadline } from '../../../runtime/timers/deadline.ts'
import type { WorkerClientOptions } from '../processes/worker-protocol.ts'
import type { Departures } from './baileys/departures.ts'
import { DeviceCache } from './baileys/device-cache.ts'
import { userOf } from './baileys/signal.ts'
import { silence } from './baileys/silence.ts'
import { Cache, PhoneRequests } from './cache.ts'
import { Groups } from './outgoing/groups.ts'

const minute = 60_000
const hour = 60 * minute

/** Milliseconds that WhatsApp may take to say its first word on a socket. */
const beginningTime = 20_000

/** Keys that are handed in when WhatsApp asks for them: as many new people can begin a chat before it asks again. */
const keysForEachRequest = 50

/** The parts of its client that a socket needs. */
export interface SocketParts {
  readonly options: WorkerClientOptions
  readonly names: PartyNames
  readonly auth: SocketConfig['auth']
  readonly makeSignalRepository: SocketConfig['makeSignalRepository']
  readonly departures: Departures
}

/** The caches of a client: they outlive its socket when WhatsApp asks for a new one. */
export class ClientCaches {
  /** By user: which devices get what is sent to that user. WhatsApp tells when they change. */
  readonly devices: DeviceCache
  readonly groups = new Groups()
  /** Number of times that each message was sent again, or asked for. */
  readonly retries = new Cache(500, hour)
  readonly calls = new Cache(20, 5 * minute)
  readonly phoneRequests = new PhoneRequests(100, hour)

  /** `ownDevice`: the LID of the device, if it is known. */
  constructor(ownDevice: () => string | undefined) {
    this.devices = new DeviceCache(ownDevice)
  }

  /** From now on, who is in these groups and which devices these people have must be asked again. */
  forget(jids: readonly string[]): void {
    for (const jid of jids) {
      this.groups.forget(jid)
      this.devices.del(userOf(jid))
    }
  }
}

/** Opens a socket. Listeners must be added at once: what waited at WhatsApp comes before the socket counts as open. */
export function openSocket(
  { options, names, auth, makeSignalRepository, departures }: SocketParts,
  caches: ClientCaches,
): WASocket {
  const config: UserFacingSocketConfig = {
    waWebSocketUrl: options.server,
    agent: new GuardedAgent({
      guard: outboundGuard(options.allowedCidrs),
      names,
      ca: options.ca ?? undefined,
      proxy: options.proxy ?? undefined,
    }),
    // With one, the library would make a timer and three errors for each stanza that it sends.
    connectTimeoutMs: 0,
    ...(options.codeLifetime !== undefined && { qrTimeout: options.codeLifetime }),
    ...(options.version && { version: [...options.version] }),
    browser: [...options.browser],
    logger: silence,
    auth,
    makeSignalRepository,
    cachedGroupMetadata: (group) => caches.groups.of(sock, group),
    userDevicesCache: caches.devices,
    msgRetryCounterCache: caches.retries,
    // Nothing is taken meanwhile.
    retryRequestDelayMs: 0,
    callOfferCache: caches.calls,
    placeholderResendCache: caches.phoneRequests,
    enableRecentMessageCache: false,
    emitOwnEvents: false,
    // Otherwise the phone goes on showing notifications.
    markOnlineOnConnect: options.isShownOnline,
    syncFullHistory: false,
    // It would fetch and inflate any file that the phone names, without a limit.
    shouldSyncHistoryMessage: () => false,
    // The server probes the connection; the library's own pings only find what that does not.
    keepAliveIntervalMs: 5 * minute,
    options: goesNowhere,
    // Keys that cannot be stored end the client.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
  }
  const sock = makeWASocket(config)
  departures.guard(sock)
  endIfSilent(sock, beginningTime)
  listen(sock, options, caches)
  return sock
}

function listen(sock: WASocket, options: WorkerClientOptions, caches: ClientCaches): void {
  // Its members, or something else about it, have changed.
  sock.ws.on('CB:notification,type:w:gp2', ({ attrs }: BinaryNode) => caches.groups.forget(attrs.from ?? ''))
  bePresent(sock, options)
  sock.ws.prependListener('CB:notification', (node: BinaryNode) => {
    if (asksForKeys(node)) void sock.uploadPreKeys(keysForEachRequest).catch(() => undefined)
  })
}

/**
 * Has the account shown as the operator of the instance wants. Without its name, which the library may learn only now, it says neither. When it learns
 * the name, and by mistake at every change of the account that leaves the name out, it sends a presence without a type, which shows the account
 * as online.
 */
function bePresent(
  { ev, authState, sendPresenceUpdate }: WASocket,
  { isShownOnline }: WorkerClientOptions,
): void {
  const emit = ev.emit.bind(ev)
  const { creds } = authState
  ev.emit = (event, data) =>
    emit(event, event === 'creds.update' ? { ...(creds.me && { me: creds.me }), ...data } : data)
  let said = creds.me?.name
  ev.on('creds.update', ({ me }) => {
    if (!me?.name || me.name === said) return
    said = me.name
    void sendPresenceUpdate(isShownOnline ? 'available' : 'unavailable').catch(() => undefined)
  })
}

/** Ends a socket on which nothing comes for so many milliseconds at first: what it leads to may take connections and say nothing. */
export function endIfSilent({ ws, end }: Pick<WASocket, 'ws' | 'end'>, time: number): void {
  const timedOut = { output: { statusCode: DisconnectReason.timedOut } }
  const late = setDeadline(time, () => {
    void end(Object.assign(new Error('WhatsApp did not begin the connection in time'), timedOut))
  })
  for (const event of ['frame', 'close', 'error']) ws.once(event, () => late.cancel())
}

/**
 * True if WhatsApp says that few keys are left with which others begin sessions. By itself, the library hands in five, and
 * only when nearly none is left: it finds that more are being handed in already.
 */
function asksForKeys(node: BinaryNode): boolean {
  const { type, from } = node.attrs
  if (type !== 'encrypt' || from !== S_WHATSAPP_NET) return false
  const left = Number(getBinaryNodeChild(node, 'count')?.attrs.value)
  return left >= 0 && left < keysForEachRequest
}

/**
 * For what the library would fetch by itself: that would go around the guard and any proxy, to wherever a phone says. The library is given
 * this as the one that carries its requests out.
 */
export const goesNowhere = {
  dispatcher: {
    dispatch: () => {
      throw new Error('The library may not fetch anything by itself.')
    },
  },
} as object as RequestInit

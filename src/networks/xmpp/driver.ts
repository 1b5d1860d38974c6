import { type OutboundGuard, outboundGuard } from '../../net/guard/guard.ts'
import { NameResolver } from '../../net/resolve/names.ts'
import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { isRoom, parseAddress } from './address.ts'
import { errors, reasons } from './codes.ts'
import { XmppConnection } from './connection.ts'
import { limits, timeouts, type XmppTimeouts } from './limits.ts'
import { ScramKeys } from './login/scram-keys.ts'
import { description } from './reference.ts'
import { roomFeatures } from './rooms/room-actions.ts'
import { textFault } from './sending/outgoing-message.ts'
import { accountOf, check, credentialsSchema, isRegistered, settingsSchema } from './settings.ts'

export interface XmppOptions {
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string | readonly string[]
  /** Addresses that instances may connect to; public ones and this machine without it. */
  readonly guard?: OutboundGuard
  /** The resolver of names. */
  readonly names?: NameResolver
  /** For tests: milliseconds that the server may take for each step. */
  readonly timeouts?: Partial<XmppTimeouts>
}

/** SCRAM iterations that a server may demand: each 100,000 occupy a thread for a tenth of a second. */
const maxIterations = 100_000

const abilities: DriverAbilities = {
  message_ids: 'ours',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: null,
  sends: ['reply', 'reaction', 'edit', 'retract', 'mention', 'location'],
  marks_read: false,
  sent_elsewhere: false,
  typing: true,
  pictures: true,
  connected_means:
    'The server answered on the stream of the account, and a silent stream is probed with a ping.',
}

const loopback = ['127.0.0.0/8', '::1/128']

/** The XMPP network. */
export function xmpp(options: XmppOptions = {}): Driver {
  const { ca, guard = outboundGuard(loopback), names = new NameResolver() } = options
  const keys = new ScramKeys(maxIterations)
  const connectionOptions = { ca, guard, keys, timeouts: { ...timeouts, ...options.timeouts } }
  return {
    network: 'xmpp',
    title: 'XMPP',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    fixedSettings: ['address', 'register'],
    abilities,
    limits,
    reasons,
    errors,
    check,
    parseAddress,
    isGroup: isRoom,
    groups: roomFeatures,
    accountIn: (settings) => accountOf(settings).address,
    textFault,
    removal: { isNeeded: isRegistered },
    connect: (context) =>
      new XmppConnection(context, { ...connectionOptions, names: names.of(context.share.party) }),
  }
}

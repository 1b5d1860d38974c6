import { randomBytes } from 'node:crypto'
import { type Connection, newId, stamp, streamError } from '../connection.ts'
import type { Registration as RegistrationPayload } from '../proto/handshake.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, child, type Node, node } from '../wire/node.ts'
import type { Account } from './account.ts'
import type { ClientKeys, Device } from './device.ts'
import { announceDevice } from './device-list.ts'
import { lidServer, phoneServer } from './jid.ts'
import type { UnlinkedClient } from './unlinked-client.ts'

/** Sent by a phone to have a client linked. */
export interface Vouching {
  readonly noiseKey: Uint8Array
  readonly companionIdentity: Uint8Array
  /** ADVSignedDeviceIdentityHMAC. */
  readonly identityHmac: Uint8Array
}

/** Shows refs to a client that wants to be linked. */
export function register(whatsapp: WhatsApp, connection: Connection, payload: RegistrationPayload): void {
  const { settings, registrations } = whatsapp
  const keys = keysOf(payload, connection.stream.staticKey)
  const registration: UnlinkedClient = {
    connection,
    keys,
    until: Date.now() + settings.refLifetime,
    signed: undefined,
    abort: undefined,
    code: undefined,
    finished: undefined,
  }
  const refs = Array.from({ length: settings.refs }, () => `2@${randomBytes(72).toString('base64')}`)
  for (const ref of refs) registrations.set(ref, registration)
  const shown = refs.map((ref) => node('ref', {}, ref))
  connection.ask([node('pair-device', {}, shown)], { xmlns: 'md' })
  connection.stream.onClose = () => {
    for (const ref of refs) registrations.delete(ref)
    registration.abort?.(new Error('The client has gone before it was linked.'))
    whatsapp.connections.delete(connection)
    whatsapp.waiting.look()
  }
}

/** Returns the registration of a ref; throws if no client may be linked by it. */
export function registrationOf(whatsapp: WhatsApp, ref: string): UnlinkedClient {
  const registration = whatsapp.registrations.get(ref)
  if (!registration) throw new Error('No client shows this code.')
  if (Date.now() > registration.until) throw new Error('This code has expired.')
  return registration
}

/** A person scans a QR code. Resolves when the client has signed back, or was sent to fetch a passkey. */
export async function scan(whatsapp: WhatsApp, account: Account, qr: string): Promise<Device | undefined> {
  const number = account.nextDevice()
  const vouched = await account.inTurn(() => account.phone.scan(qr, { device: number, keyIndex: number }))
  const registration = registrationOf(whatsapp, vouched.ref)
  if (account.traits.needsPasskey) return askForPasskey(registration)
  return link(whatsapp, account, { registration, number, vouched })
}

/** Tells the client that it is linked, checks what it signs back, and has it connect anew. */
export async function link(
  whatsapp: WhatsApp,
  account: Account,
  given: { registration: UnlinkedClient; number: number; vouched: Vouching },
): Promise<Device> {
  const { registration, number, vouched } = given
  const { connection, keys } = registration
  const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0
  if (!isSame(vouched.noiseKey, keys.noise) || !isSame(vouched.companionIdentity, keys.identity)) {
    throw new Error('The code shows other keys than the client that has the ref.')
  }
  const signed = await new Promise<Uint8Array>((resolve, reject) => {
    registration.signed = resolve
    registration.abort = reject
    connection.ask([pairSuccess(account, number, vouched.identityHmac)])
  })
  registration.signed = undefined
  const isRight = await account.inTurn(() => account.phone.isSignedBack(signed, keys.identity))
  if (!isRight) {
    connection.fail(401)
    throw new Error('The client has not signed what the phone has sent.')
  }
  const device = account.link(number, keys)
  announceDevice(whatsapp, account, 'add', device)
  connection.endWith(streamError('515'))
  whatsapp.waiting.look()
  return device
}

/** Takes the answer of a client to pair-success; false if it is none. */
export function takeSignature(whatsapp: WhatsApp, connection: Connection, iq: Node): boolean {
  const signed = child(iq, 'pair-device-sign')
  const identity = signed && child(signed, 'device-identity')
  if (!identity) return false
  const found = [...whatsapp.registrations.values()].find((each) => each.connection === connection)
  found?.signed?.(bytes(identity))
  return true
}

function pairSuccess(account: Account, number: number, identityHmac: Uint8Array): Node {
  return node('pair-success', {}, [
    node('device-identity', {}, identityHmac),
    node('device', { jid: account.jid(phoneServer, number), lid: account.jid(lidServer, number) }),
    node('platform', { name: 'android' }),
  ])
}

/** Asks for a passkey, as the server does if the account may be linked with one alone. */
export function askForPasskey({ connection }: UnlinkedClient): undefined {
  const options = {
    challenge: randomBytes(32).toString('base64url'),
    rpId: 'whatsapp.com',
    allowCredentials: [],
    userVerification: 'required',
    timeout: 600_000,
  }
  const attributes = { type: 'passkey_prologue_request', from: phoneServer, id: newId(), t: stamp() }
  const content = [node('passkey_request_options', {}, JSON.stringify(options))]
  connection.send(node('notification', attributes, content))
}

function keysOf(payload: RegistrationPayload, noise: Uint8Array): ClientKeys {
  const { eRegid, eIdent, eSkeyId, eSkeyVal, eSkeySig } = payload
  if (!eRegid || !eIdent || !eSkeyId || !eSkeyVal || !eSkeySig) {
    throw new Error('The client registers without its keys.')
  }
  const signed = { id: eSkeyId, key: eSkeyVal, signature: eSkeySig }
  return { noise, registration: eRegid, identity: eIdent, signed }
}

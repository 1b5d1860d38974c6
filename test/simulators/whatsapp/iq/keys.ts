import { createHash } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import { asBytes, type Device, type OneTimeKey, type SignedKey } from '../accounts/device.ts'
import { parseJid } from '../accounts/jid.ts'
import { askForKeys } from '../accounts/login.ts'
import { type Bundle, Phone } from '../signal/phone.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, child, children, type Node, node } from '../wire/node.ts'
import { type Answer, firstChild, type Question } from './question.ts'

/** Curve25519, as bundles name it. */
const curve = Buffer.from([5])

/** Takes keys of the client, counts them, and hands out those of others. */
export function answerKeys({ whatsapp, connection, iq }: Question): Answer | undefined {
  const { device } = connection
  if (!device) return { code: 401, text: 'not-authorized' }
  switch (firstChild(iq)?.tag) {
    case 'count':
      return [node('count', { value: String(device.keysLeft) })]
    case 'digest':
      return device.keysLeft === 0 ? { code: 404, text: 'item-not-found' } : [digest(device)]
    case 'key': {
      const users = children(child(iq, 'key') ?? node('key'), 'user')
      return [
        node(
          'list',
          {},
          users.flatMap((user) => bundleOf(whatsapp, user.attrs.jid ?? '') ?? []),
        ),
      ]
    }
    case 'rotate':
      return rotate(device, child(iq, 'rotate'))
    default:
      return child(iq, 'list') ? upload(device, iq) : undefined
  }
}

/** The client's one-time keys, and the signed one if it is new. */
function upload(device: Device, iq: Node): Answer {
  const identity = child(iq, 'identity')
  if (identity && Buffer.compare(bytes(identity), device.keys.identity) !== 0) {
    return { code: 406, text: 'not-acceptable' }
  }
  const keys = children(child(iq, 'list') ?? node('list'), 'key').map(oneTimeKey)
  if (keys.some(({ id, key }) => id.length !== 3 || key.length !== 32))
    return { code: 400, text: 'bad-request' }
  device.addKeys(keys)
  const signed = child(iq, 'skey')
  if (signed) device.signed = signedKey(signed)
  return []
}

function rotate(device: Device, rotation: Node | undefined): Answer {
  const signed = rotation && child(rotation, 'skey')
  if (!signed) return { code: 400, text: 'bad-request' }
  device.signed = signedKey(signed)
  return []
}

/** The keys of a device; an error if there are none, or undefined where a server leaves it out. */
function bundleOf(whatsapp: WhatsApp, jid: string): Node | undefined {
  const account = whatsapp.directory.ofJid(jid)
  const number = parseJid(jid).device
  const missing = account?.withoutKeys.get(number)
  if (missing === 'left out') return undefined
  if (missing === '404' || missing === '406') return withoutKeys(jid, missing)
  if (account && missing === 'badly signed') return forgedBundle(jid, account)
  const linked = account?.devices.get(number)
  if (linked) return linkedBundle(whatsapp, jid, linked)
  return account && number === 0 ? phoneBundle(jid, account.phone.takeBundle()) : withoutKeys(jid, '404')
}

const errorTexts = { '404': 'item-not-found', '406': 'not-acceptable' }

function withoutKeys(jid: string, code: keyof typeof errorTexts): Node {
  return node('user', { jid }, [node('error', { code, text: errorTexts[code] })])
}

/** The keys of a phone, with another signed key than the one that it has signed. */
function forgedBundle(jid: string, { phone }: Account): Node {
  const bundle = phone.takeBundle()
  const { key } = new Phone(phone).takeBundle().signedPreKey
  return phoneBundle(jid, { ...bundle, signedPreKey: { ...bundle.signedPreKey, key } })
}

function linkedBundle(whatsapp: WhatsApp, jid: string, device: Device): Node {
  const { signed, keys } = device
  const oneTime = device.takeKey()
  askForKeys(whatsapp, device)
  return node('user', { jid }, [
    node('registration', {}, keys.registration),
    node('type', {}, curve),
    node('identity', {}, keys.identity),
    keyNode('skey', signed),
    ...(oneTime ? [keyNode('key', oneTime)] : []),
  ])
}

function phoneBundle(jid: string, { registrationId, identity, signedPreKey, preKey }: Bundle): Node {
  return node('user', { jid }, [
    node('registration', {}, asBytes(registrationId, 4)),
    node('type', {}, curve),
    node('identity', {}, identity),
    keyNode('skey', { ...signedPreKey, id: asBytes(signedPreKey.id, 3) }),
    ...(preKey ? [keyNode('key', { id: asBytes(preKey.id, 3), key: preKey.key })] : []),
  ])
}

/** Returns the client's keys as the server holds them, with the hash by which the client compares them with its own. */
function digest(device: Device): Node {
  const { keys, signed } = device
  const oneTime = device.oneTimeKeys()
  const hash = createHash('sha1')
  for (const part of [keys.identity, signed.key, signed.signature, ...oneTime.map(({ key }) => key)]) {
    hash.update(part)
  }
  return node('digest', {}, [
    node('registration', {}, keys.registration),
    node('type', {}, curve),
    node('identity', {}, keys.identity),
    keyNode('skey', signed),
    node(
      'list',
      {},
      oneTime.map(({ id }) => node('id', {}, id)),
    ),
    node('hash', {}, hash.digest()),
  ])
}

function keyNode(tag: string, { id, key, signature }: OneTimeKey & { signature?: Uint8Array }): Node {
  const signed = signature ? [node('signature', {}, signature)] : []
  return node(tag, {}, [node('id', {}, id), node('value', {}, key), ...signed])
}

function oneTimeKey(held: Node): OneTimeKey {
  const part = (tag: string) => bytes(child(held, tag) ?? node(tag))
  return { id: part('id'), key: part('value') }
}

function signedKey(held: Node): SignedKey {
  return { ...oneTimeKey(held), signature: bytes(child(held, 'signature') ?? node('signature')) }
}

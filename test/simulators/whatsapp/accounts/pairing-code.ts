import { randomBytes } from 'node:crypto'
import { type Connection, newId, stamp } from '../connection.ts'
import type { Answer } from '../iq/question.ts'
import type { CompanionFinish } from '../signal/pairing-code.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, child, type Node, node, text } from '../wire/node.ts'
import type { Account } from './account.ts'
import type { Device } from './device.ts'
import { parseJid, phoneServer } from './jid.ts'
import { askForPasskey, link } from './registration.ts'
import type { UnlinkedClient } from './unlinked-client.ts'

/** A client shows a code for the phone of this number. */
export function takeHello(whatsapp: WhatsApp, connection: Connection, hello: Node): Answer {
  const client = clientOf(whatsapp, connection)
  const { user } = parseJid(hello.attrs.jid ?? '')
  if (!client) return { code: 401, text: 'not-authorized' }
  if (!whatsapp.directory.ofPhone(user)) return { code: 404, text: 'item-not-found' }
  const ref = randomBytes(12).toString('base64url')
  client.code = {
    pn: user,
    hello: {
      ref,
      wrappedCompanionEphemeral: part(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub'),
      companionNoise: part(hello, 'companion_server_auth_key_pub'),
    },
  }
  whatsapp.waiting.look()
  const given = node('link_code_pairing_ref', {}, ref)
  return [node('link_code_companion_reg', { stage: 'companion_hello' }, [given])]
}

/** The client has taken what the phone answered. */
export function finishCode(whatsapp: WhatsApp, connection: Connection, finish: Node): Answer {
  const client = clientOf(whatsapp, connection)
  if (!client?.finished) return { code: 404, text: 'item-not-found' }
  const { finished } = client
  const held = {
    ref: text(child(finish, 'link_code_pairing_ref') ?? node('ref')),
    wrappedKeyBundle: part(finish, 'link_code_pairing_wrapped_key_bundle'),
    companionIdentity: part(finish, 'companion_identity_public'),
  }
  setImmediate(() => finished(held))
  return []
}

/** A person types the code that a client shows. Waits until one shows a code for this phone. */
export async function enterCode(
  whatsapp: WhatsApp,
  account: Account,
  code: string,
): Promise<Device | undefined> {
  const find = () => [...whatsapp.registrations.values()].find((each) => each.code?.pn === account.pn)
  await whatsapp.waiting.until(() => find() !== undefined)
  const client = find()
  if (!client?.code) throw new Error('No client shows a code for this phone.')
  if (account.traits.needsPasskey) return askForPasskey(client)
  const { hello } = client.code
  const answer = await account.inTurn(() => account.phone.enterCode(code, hello))
  const finish = await new Promise<CompanionFinish>((resolve, reject) => {
    client.finished = resolve
    client.abort = reject
    client.connection.send(primaryHello(answer))
  })
  client.finished = undefined
  client.code = undefined
  const number = account.nextDevice()
  const vouched = await account.inTurn(() =>
    account.phone.finishCode(finish, { device: number, keyIndex: number }),
  )
  return link(whatsapp, account, { registration: client, number, vouched })
}

type PrimaryHello = Awaited<ReturnType<Account['phone']['enterCode']>>

function primaryHello({ ref, wrappedPrimaryEphemeral, primaryIdentity }: PrimaryHello): Node {
  const attributes = { from: phoneServer, type: 'link_code_companion_reg', id: newId(), t: stamp() }
  return node('notification', attributes, [
    node('link_code_companion_reg', { stage: 'primary_hello' }, [
      node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrappedPrimaryEphemeral),
      node('primary_identity_pub', {}, primaryIdentity),
      node('link_code_pairing_ref', {}, ref),
    ]),
  ])
}

function clientOf({ registrations }: WhatsApp, connection: Connection): UnlinkedClient | undefined {
  for (const client of registrations.values()) {
    if (client.connection === connection) return client
  }
  return undefined
}

const part = (of: Node, tag: string): Uint8Array => bytes(child(of, tag) ?? node(tag))

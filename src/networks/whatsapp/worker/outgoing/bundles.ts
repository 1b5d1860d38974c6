import {
  type BinaryNode,
  extractE2ESessionFromRetryReceipt,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  S_WHATSAPP_NET,
  type WASocket,
} from 'baileys'

/** The keys of a device with which a session begins. */
export type Bundle = NonNullable<ReturnType<typeof extractE2ESessionFromRetryReceipt>>

/** For how many devices WhatsApp is asked at once. */
const together = 200

/** Name of Curve25519 in a bundle. */
const curve = Buffer.of(5)

/**
 * Asks WhatsApp for the keys of devices. What it has no keys of, or what makes no sense, is missing in the answer; rejects with the library's errors
 * if it does not answer at all. (The library itself takes no keys if those of one device are missing.)
 */
export async function bundlesOf(sock: WASocket, jids: readonly string[]): Promise<Map<string, Bundle>> {
  const found = new Map<string, Bundle>()
  const asked = await addressed(sock, jids)
  const all = [...asked]
  for (let from = 0; from < all.length; from += together) {
    const part = all.slice(from, from + together)
    const answer = await sock.query(question(part.map(([address]) => address)))
    const users = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
    const answered = new Map(users.map((user) => [nameOf(user.attrs.jid ?? ''), user]))
    for (const [address, jid] of part) {
      const user = answered.get(nameOf(address))
      const bundle = user && bundleIn(user)
      if (bundle) found.set(jid, bundle)
    }
  }
  return found
}

/** By which address WhatsApp is asked for each: by the LID, where it is known. */
async function addressed(
  { signalRepository }: WASocket,
  jids: readonly string[],
): Promise<Map<string, string>> {
  const numbers = jids.filter((jid) => jidDecode(jid)?.server === 's.whatsapp.net')
  const lids = numbers.length > 0 ? await signalRepository.lidMapping.getLIDsForPNs(numbers) : null
  const lidOf = new Map(lids?.map(({ pn, lid }) => [pn, lid]))
  return new Map(jids.map((jid) => [lidOf.get(jid) ?? jid, jid]))
}

function question(jids: readonly string[]): BinaryNode {
  const users = jids.map((jid) => ({ tag: 'user', attrs: { jid } }))
  return {
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: users }],
  }
}

/** The library reads keys that stand in a receipt, where they are the same, and checks them. */
function bundleIn(user: BinaryNode): Bundle | null {
  const parts = Array.isArray(user.content) ? user.content : []
  const registration = parts.filter(({ tag }) => tag === 'registration')
  const others = parts.filter(({ tag }) => tag !== 'registration' && tag !== 'type')
  const type = { tag: 'type', attrs: {}, content: curve }
  const keys = { tag: 'keys', attrs: {}, content: [type, ...others] }
  return extractE2ESessionFromRetryReceipt({ tag: 'receipt', attrs: {}, content: [...registration, keys] })
}

function nameOf(jid: string): string {
  const { user = jid, device = 0, server = '' } = jidDecode(jid) ?? {}
  return `${user}:${device}@${server}`
}

import { S_WHATSAPP_NET, type WASocket } from 'baileys'
import { type Deadline, setDeadline } from '../../../../runtime/timers/deadline.ts'
import type { FoundAddress } from '../../../driver/abilities/checking.ts'
import { foundAccountsIn } from '../../incoming/found-accounts.ts'
import type { Stanza } from '../../incoming/stanza.ts'
import type { PeopleReply } from '../../processes/worker-protocol.ts'
import { isTimeout, refusalOf } from '../baileys/acknowledgements.ts'

/** Milliseconds that WhatsApp may take to answer. */
const peopleTime = 10_000

/** Codes with which WhatsApp says that there is no picture, or not for this account. */
const noPicture = new Set([401, 403, 404])

/** Asks which of these phone numbers have an account, by one question. Addresses are normalized. */
export async function findAccounts(
  sock: WASocket | null,
  numbers: readonly string[],
): Promise<PeopleReply<readonly FoundAddress[]>> {
  if (!sock) return { kind: 'unanswered' }
  const users = numbers.map((number) => ({
    tag: 'user',
    attrs: {},
    content: [{ tag: 'contact', attrs: {}, content: number }],
  }))
  const content = [
    { tag: 'query', attrs: {}, content: [{ tag: 'contact', attrs: {} }] },
    { tag: 'list', attrs: {}, content: users },
  ]
  // The same question as that of the library, whose own answer does not say which number was asked for.
  const attrs = {
    context: 'interactive',
    mode: 'query',
    sid: sock.generateMessageTag(),
    last: 'true',
    index: '0',
  }
  const iq = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content }],
  }
  try {
    const answer = (await sock.query(iq, peopleTime)) as Stanza | undefined
    const found = answer ? foundAccountsIn(answer, numbers) : null
    return found ? { kind: 'done', value: found } : { kind: 'unanswered' }
  } catch (error) {
    return failed(error)
  }
}

/** Asks for the address of a picture; null if the person or the group shows none, or not to this account. */
export async function findPictureUrl(
  sock: WASocket | null,
  jid: string,
): Promise<PeopleReply<string | null>> {
  if (!sock) return { kind: 'unanswered' }
  const late = Promise.withResolvers<'late'>()
  // The library may take a timeout for an answer without a picture.
  const deadline: Deadline = setDeadline(peopleTime, () => late.resolve('late'))
  try {
    const url = await Promise.race([sock.profilePictureUrl(jid, 'image', 2 * peopleTime), late.promise])
    return url === 'late' ? { kind: 'unanswered' } : { kind: 'done', value: url ?? null }
  } catch (error) {
    if (noPicture.has(refusalOf(error) ?? 0)) return { kind: 'done', value: null }
    return failed(error)
  } finally {
    deadline.cancel()
  }
}

function failed(error: unknown): PeopleReply<never> {
  const code = refusalOf(error)
  return code === null || isTimeout(error) ? { kind: 'unanswered' } : { kind: 'refused', code: code || 0 }
}

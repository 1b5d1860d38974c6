import { NetFailure } from '../../../net/failure.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import type { AddressesAnswer } from '../../driver/abilities/checking.ts'
import { maxPictureBytes, type PictureAnswer } from '../../driver/abilities/pictures.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { jidOf } from '../address.ts'
import { errorOf } from '../errors.ts'
import type { WorkerClient } from '../processes/worker-client.ts'
import type { PeopleReply } from '../processes/worker-protocol.ts'
import { replyBefore } from './reply-before.ts'

type Ask = WorkerClient['line']['ask']

/** Milliseconds that the host of a picture may take to begin its response. */
const pictureTime = 10_000

/** Asks which addresses have an account. WhatsApp tells that of phone numbers alone; others are left out. */
export async function checkAddresses(
  ask: Ask,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<AddressesAnswer> {
  const numbers = addresses.filter((address) => address.startsWith('+'))
  if (numbers.length === 0) return { kind: 'checked', addresses: [] }
  const reply = await replyBefore(signal, () => ask('findAccounts', { numbers }), unanswered)
  if (reply.kind === 'done') return { kind: 'checked', addresses: reply.value }
  return failed(reply)
}

/**
 * Finds the picture of a person or a group, and fetches it as the files of the account are: through its proxy, if it has one, and from no address that
 * is not allowed.
 */
export async function findPicture(
  ask: Ask,
  http: HttpClient,
  address: string,
  signal: AbortSignal,
): Promise<PictureAnswer> {
  const reply = await replyBefore(signal, () => ask('findPicture', { jid: jidOf(address) }), unanswered)
  if (reply.kind !== 'done') return failed(reply)
  if (reply.value === null) return { kind: 'none' }
  if (!URL.canParse(reply.value) || new URL(reply.value).protocol !== 'https:') return noAnswer
  const response = await http.request({
    method: 'GET',
    url: reply.value,
    maxBytes: maxPictureBytes,
    limits: { headers: pictureTime },
    signal,
  })
  if (response.kind === 'failed') {
    const { error } = response
    return { kind: 'unanswered', detail: error instanceof NetFailure ? error.message : noAnswer.detail }
  }
  if (response.status === 404 || response.status === 410) return { kind: 'none' }
  return response.status === 200 ? { kind: 'found', bytes: response.body } : noAnswer
}

const unanswered: PeopleReply<never> = { kind: 'unanswered' }

const noAnswer = { kind: 'unanswered', detail: 'WhatsApp did not answer in time.' } as const

function failed(
  reply: Exclude<PeopleReply<unknown>, { kind: 'done' }>,
): { kind: 'rejected'; error: NetworkError } | typeof noAnswer {
  if (reply.kind === 'unanswered') return noAnswer
  const { code } = reply
  const isRate = code === 429
  return {
    kind: 'rejected',
    error: errorOf(isRate ? 'rate_limited' : 'question_refused', false, String(code)),
  }
}

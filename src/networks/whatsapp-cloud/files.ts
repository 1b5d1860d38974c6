import { malformed, NetFailure, statusFailure, tooLarge } from '../../net/failure.ts'
import type { Fetched } from '../../net/fetch/fetch.ts'
import type { FileRequest } from '../driver/abilities/files.ts'
import { fileFailure } from '../kit/http-reasons.ts'
import { integerIn, textIn } from '../kit/json.ts'
import type { ReasonCode } from './codes.ts'
import type { GraphApi, GraphRefusal } from './graph/graph-api.ts'
import { graphCode, meaningOf, type Restricted } from './graph/graph-codes.ts'
import { isMediaId } from './incoming/incoming-message.ts'

export interface FileOptions {
  readonly api: GraphApi
  readonly phoneNumberId: string
  /** Milliseconds that the API may take to answer. */
  readonly answerTime: number
  /** The API refuses the token or the number. */
  readonly onEnd: (code: ReasonCode) => void
  readonly onRestriction: (restricted: Restricted) => void
}

/**
 * Opens a file by its id: the API says where it is, for five minutes, and the same token opens it there. Rejects with a
 * NetFailure. Source: Cloud API, Media, Retrieve media URL.
 */
export async function openFile(
  options: FileOptions,
  reference: string,
  { largest, signal }: FileRequest,
): Promise<Fetched> {
  const { api, phoneNumberId, answerTime } = options
  if (!isMediaId(reference)) throw malformed('the network has no such file')
  const path = `${reference}?phone_number_id=${phoneNumberId}`
  const limits = { headers: answerTime, total: answerTime }
  const answer = await api.ask({ path, limits, signal })
  signal.throwIfAborted()
  if (answer.kind === 'failed') throw fileFailure(answer, largest)
  if (answer.kind === 'unusable') throw statusFailure(answer.status)
  if (answer.kind === 'refused') throw refusalOf(answer, options)
  const { json } = answer
  const url = textIn(json, 'url')
  if (url === null) throw malformed('the network does not say where the file is')
  if ((integerIn(json, 'file_size') ?? 0) > largest) throw tooLarge(largest)

  const opened = await api.open(url, {
    maxBytes: largest,
    limits: { headers: answerTime },
    signal,
  })
  signal.throwIfAborted()
  if (opened === null) throw malformed('the network names a place without encryption')
  if (opened.kind === 'failed') throw fileFailure(opened, largest)
  const { status, size, body } = opened
  if (status !== 200) {
    body.destroy()
    // The place is valid for minutes; the next attempt asks for another.
    throw new NetFailure('status', false, `the server answered with the status ${status}`, { status })
  }
  const type = textIn(json, 'mime_type')
  return {
    headers: {
      ...(type !== null && { 'content-type': type }),
      ...(size !== undefined && { 'content-length': String(size) }),
    },
    suggestedFilename: undefined,
    body,
  }
}

/**
 * Returns the meaning of a refusal for a file. A refusal about the token, the number or a limit passes, and the file is
 * asked for again.
 */
function refusalOf(refusal: GraphRefusal, { onEnd, onRestriction }: FileOptions): NetFailure {
  if (isGone(refusal))
    return new NetFailure('status', true, 'the network no longer has the file', { status: 404 })
  const { effect } = meaningOf(refusal)
  if (typeof effect === 'object') {
    if ('reason' in effect) onEnd(effect.reason)
    else onRestriction(effect)
  }
  return new NetFailure('status', false, 'the network refused to open the file', { status: refusal.status })
}

/** A file that is older than seven days, or belongs to another number, is an object that the API does not have. */
function isGone(refusal: GraphRefusal): boolean {
  const meaning = meaningOf(refusal)
  return meaning === graphCode(33) || (meaning === graphCode(100) && !refusal.isTransient)
}

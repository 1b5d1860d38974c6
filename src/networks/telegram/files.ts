import { NetFailure, tooLarge } from '../../net/failure.ts'
import type { Fetched } from '../../net/fetch/fetch.ts'
import type { FileRequest } from '../driver/abilities/files.ts'
import { fileFailure } from '../kit/http-reasons.ts'
import { asObject, integerIn, textIn } from '../kit/json.ts'
import type { ApiRefusal, BotApi } from './bot-api.ts'

/**
 * Opens a file by its `file_id`, as `FileAccess.open`. Its path is asked for each time, because it is valid for an hour only
 * (https://core.telegram.org/bots/api#getfile).
 */
export async function openFile(
  api: BotApi,
  reference: string,
  { largest, signal }: FileRequest,
): Promise<Fetched> {
  const answer = await api.call('getFile', { body: { json: { file_id: reference } }, signal })
  signal.throwIfAborted()
  if (answer.kind === 'refused') throw refused(answer)
  if (answer.kind === 'unusable') throw answered(answer.status)
  if (answer.kind === 'failed') throw fileFailure(answer, largest)
  const file = asObject(answer.result) ?? {}
  if ((integerIn(file, 'file_size') ?? 0) > largest) throw tooLarge(largest)
  const path = textIn(file, 'file_path')
  const opened = path === null ? null : await api.open(path, { maxBytes: largest, signal })
  signal.throwIfAborted()
  if (opened === null) throw new NetFailure('malformed', true, 'Telegram did not say where the file is')
  if (opened.kind === 'failed') throw fileFailure(opened, largest)
  if (opened.status !== 200) {
    opened.body.destroy()
    throw answered(opened.status)
  }
  return { headers: {}, suggestedFilename: undefined, body: opened.body }
}

function refused({ code, description }: ApiRefusal): NetFailure {
  if (/too big/i.test(description))
    return new NetFailure('too_large', true, 'Telegram gives bots no file of more than 20 MB')
  return answered(code)
}

/**
 * Only a bad request is final: that is how Telegram answers a reference that it does not know. Anything else may be a token that
 * was revoked, a path that expired, or a proxy.
 */
function answered(status: number): NetFailure {
  return new NetFailure('status', status === 400, `Telegram answered with the status ${status}`, { status })
}

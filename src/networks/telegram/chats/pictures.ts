import { maxPictureBytes, type PictureAnswer } from '../../driver/abilities/pictures.ts'
import { asObject, objectIn, textIn } from '../../kit/json.ts'
import type { BotApi } from '../bot-api.ts'
import type { ChatQuestions } from './chat-questions.ts'

/**
 * Finds the picture of a chat (https://core.telegram.org/bots/api#chatphoto), of 640 by 640 pixels. Its URL contains the token, so
 * it is downloaded here.
 */
export async function findPicture(
  questions: ChatQuestions,
  api: BotApi,
  chat: string,
  signal: AbortSignal,
): Promise<PictureAnswer> {
  const asked = await questions.ask('getChat', chat, { signal })
  if (asked.kind !== 'done') return asked
  const photo = objectIn(asObject(asked.value) ?? {}, 'photo')
  const file_id = photo && textIn(photo, 'big_file_id')
  if (!file_id) return { kind: 'none' }
  const { kind, result } = await fileOf(api, file_id, signal)
  const path = kind === 'ok' ? textIn(asObject(result) ?? {}, 'file_path') : null
  const file = path === null ? null : await api.download(path, { maxBytes: maxPictureBytes, signal })
  if (file?.kind !== 'responded' || file.status !== 200)
    return { kind: 'unanswered', detail: 'Telegram did not give the picture.' }
  return { kind: 'found', bytes: file.body }
}

async function fileOf(api: BotApi, file_id: string, signal: AbortSignal) {
  const answer = await api.call('getFile', { body: { json: { file_id } }, signal })
  return answer.kind === 'ok' ? answer : { kind: 'none' as const, result: null }
}

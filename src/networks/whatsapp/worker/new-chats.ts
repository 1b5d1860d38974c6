import type { NewChatMessageCapInfo } from 'baileys'
import type { WorkerClientEvent } from '../processes/worker-protocol.ts'

/** Meaning of each status of the server for new chats; it knows `NONE`, too. */
const limits: Readonly<Record<string, 'new_chats_limit' | 'new_chats_limit_near'>> = {
  FIRST_WARNING: 'new_chats_limit_near',
  SECOND_WARNING: 'new_chats_limit_near',
  CAPPED: 'new_chats_limit',
}

/** Returns WhatsApp's word about the new chats that the account may still begin in this cycle. */
export function newChatsIn({
  capping_status: status = '',
  cycle_end_timestamp: end,
}: Partial<Pick<NewChatMessageCapInfo, 'cycle_end_timestamp'>> & {
  readonly capping_status?: string
}): Extract<WorkerClientEvent, { kind: 'new-chats' }> {
  const limit = Object.hasOwn(limits, status) ? (limits[status] ?? null) : null
  const seconds = Number(end)
  return { kind: 'new-chats', limit, endsAt: seconds > 0 ? seconds * 1000 : null }
}

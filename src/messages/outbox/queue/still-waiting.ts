import { read } from '../../../store/store.ts'

/** Returns which of these messages, by their ids, have not left the queue. */
export const listStillWaiting = read(
  'messages.still-waiting',
  async (reader, { ids }: { ids: readonly string[] }): Promise<string[]> => {
    const waiting = reader.sql.selectFrom('messages').innerJoin('outbox', 'outbox.seq', 'messages.seq')
    const found = await reader.all(waiting.select('messages.id').where('messages.id', 'in', ids))
    return found.map(({ id }) => id)
  },
)

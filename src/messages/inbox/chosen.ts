import type { ChoiceReply, Interactive, MessageContent } from '../../contract/resources/content.ts'
import type { Relation } from '../../contract/resources/message.ts'
import { statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { contentIn } from '../message.ts'

const selectContent = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('messages').select('content').where('id', '=', argument('id')).where('incoming', '=', 0),
)

/** The column `content` of an incoming message. A reply by a choice gets the payload with which the choice was sent. */
export async function contentText(
  tx: Transaction,
  content: MessageContent,
  relation: Relation | null,
): Promise<string | null> {
  if (Object.keys(content).length === 0) return null
  const { button_reply, list_reply } = content
  const chosen = button_reply ?? list_reply
  if (!chosen || chosen.payload !== null || chosen.id === null || !relation?.message_id)
    return JSON.stringify(content)
  const asked = await tx.first(selectContent, { id: relation.message_id })
  const reply = withPayload(chosen, contentIn(asked?.content ?? null).interactive)
  return JSON.stringify({
    ...content,
    ...(button_reply ? { button_reply: reply } : { list_reply: reply }),
  })
}

function withPayload(chosen: ChoiceReply, asked: Interactive | undefined): ChoiceReply {
  const rows = asked?.list?.sections.flatMap((section) => section.rows) ?? []
  const choice = [...(asked?.buttons ?? []), ...rows].find(({ id }) => id === chosen.id)
  return { ...chosen, payload: choice?.payload ?? null }
}

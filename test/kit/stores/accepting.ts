import type { NewMessage } from '../../../src/messages/message.ts'
import type { AcceptArgs } from '../../../src/messages/outbox/accept/accept.ts'

/** Has the store accept a text; fields that the test does not give are the same for all, and nothing is limited. */
export function accepting(
  message: Partial<NewMessage> & Pick<NewMessage, 'id'>,
  rest: Partial<AcceptArgs> = {},
): AcceptArgs {
  const { instance_id = 'inst_a' } = message
  const usual = {
    organization_id: 'org_test',
    instance_id,
    instance_name: instance_id,
    recipient: 'ana',
    kind: 'text',
    text: 'A text',
    relation: null,
    content: null,
    client_ref: null,
    metadata: null,
    created_at: 0,
    send_at: null,
    expires_at: 4e12,
    id_assigned: 0,
    window_ends_at: null,
    trace: null,
  } as const
  const unlimited = { queueLimit: null, unsettledLimit: null, storedLimit: null, idempotency: null }
  return { message: { ...usual, ...message }, ...unlimited, ...rest }
}

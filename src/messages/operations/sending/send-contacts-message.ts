import { handler } from '../../../contract/handler.ts'
import { sendContactsMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendContacts } from '../../../contract/resources/sending.ts'
import { contactFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingOperation,
  sendingContent,
  sendMessage,
} from '../../sending/send-message.ts'

export const sendContactsMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, contactsSending(call.body)),
    (call) => findSendingFaults<SendContacts>(context, call, contactFaults),
  )

export function contactsSending(body: SendContacts): SendingOperation<SendContacts> {
  const contacts = body.contacts.map(({ name, phones = [], emails = [], company = null }) => {
    return { name, phones, emails, company }
  })
  return { faults: contactFaults, prepare: () => sendingContent('contacts', { contacts }) }
}

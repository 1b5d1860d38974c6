import { handler } from '../../../contract/handler.ts'
import { sendContactsMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendContacts } from '../../../contract/resources/sending.ts'
import { contactFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendingContent, sendMessage } from '../../sending/send-message.ts'

export const sendContactsMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => {
      const contacts = call.body.contacts.map(({ name, phones = [], emails = [], company = null }) => {
        return { name, phones, emails, company }
      })
      return sendMessage(context, operation, call, {
        faults: contactFaults,
        prepare: () => sendingContent('contacts', { contacts }),
      })
    },
    (call) => findSendingFaults<SendContacts>(context, call, contactFaults),
  )

import type { Handler } from '../../contract/handler.ts'
import type { MessageOperationsContext } from '../sending/context.ts'
import { cancelMessage } from './cancel-message.ts'
import { cancelMessages } from './cancel-messages.ts'
import { forgetContact } from './forget-contact.ts'
import { getContact } from './get-contact.ts'
import { getMessage } from './get-message.ts'
import { getMessageMedia } from './get-message-media.ts'
import { listAttempts } from './list-attempts.ts'
import { listContacts } from './list-contacts.ts'
import { listConversations } from './list-conversations.ts'
import { listMessages } from './list-messages.ts'
import { listSteps } from './list-steps.ts'
import { markMessageRead } from './mark-message-read.ts'
import { editMessage } from './sending/edit-message.ts'
import { reactToMessage } from './sending/react-to-message.ts'
import { retractMessage } from './sending/retract-message.ts'
import { sendContactsMessage } from './sending/send-contacts-message.ts'
import { sendInteractiveMessage } from './sending/send-interactive-message.ts'
import { sendLocationMessage } from './sending/send-location-message.ts'
import { sendMediaMessage, uploadMediaMessage } from './sending/send-media-message.ts'
import { sendMessageBatch } from './sending/send-message-batch.ts'
import { sendPollMessage } from './sending/send-poll-message.ts'
import { sendTemplateMessage } from './sending/send-template-message.ts'
import { sendTextMessage } from './sending/send-text-message.ts'

/** Every operation on messages. */
export function messageHandlers(context: MessageOperationsContext): Handler[] {
  return [
    sendTextMessage(context),
    sendMediaMessage(context),
    uploadMediaMessage(context),
    sendTemplateMessage(context),
    sendLocationMessage(context),
    sendContactsMessage(context),
    sendInteractiveMessage(context),
    sendPollMessage(context),
    sendMessageBatch(context),
    reactToMessage(context),
    editMessage(context),
    retractMessage(context),
    listMessages(context),
    listConversations(context),
    listContacts(context),
    getContact(context),
    forgetContact(context),
    getMessage(context),
    listAttempts(context),
    listSteps(context),
    getMessageMedia(context),
    cancelMessage(context),
    cancelMessages(context),
    markMessageRead(context),
  ]
}

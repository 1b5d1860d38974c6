import type { Handler } from '../../contract/handler.ts'
import { cancelMessage } from './cancel-message.ts'
import { cancelMessages } from './cancel-messages.ts'
import type { MessageOperationsContext } from './context.ts'
import { getMessage } from './get-message.ts'
import { getMessageMedia } from './get-message-media.ts'
import { listAttempts } from './list-attempts.ts'
import { listConversations } from './list-conversations.ts'
import { listMessages } from './list-messages.ts'
import { listSteps } from './list-steps.ts'
import { markMessageRead } from './mark-message-read.ts'
import { sendMediaMessage, uploadMediaMessage } from './send-media-message.ts'
import { sendTemplateMessage } from './send-template-message.ts'
import { sendTextMessage } from './send-text-message.ts'

/** Every operation on messages. */
export function messageHandlers(context: MessageOperationsContext): Handler[] {
  return [
    sendTextMessage(context),
    sendMediaMessage(context),
    uploadMediaMessage(context),
    sendTemplateMessage(context),
    listMessages(context),
    listConversations(context),
    getMessage(context),
    listAttempts(context),
    listSteps(context),
    getMessageMedia(context),
    cancelMessage(context),
    cancelMessages(context),
    markMessageRead(context),
  ]
}

import { handler } from '../../../contract/handler.ts'
import { sendInteractiveMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendInteractive } from '../../../contract/resources/sending.ts'
import { interactiveFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingOperation,
  sendingContent,
  sendMessage,
} from '../../sending/send-message.ts'

export const sendInteractiveMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, interactiveSending(call.body)),
    (call) => findSendingFaults<SendInteractive>(context, call, interactiveFaults),
  )

export function interactiveSending(given: SendInteractive): SendingOperation<SendInteractive> {
  const { header, body, footer, buttons, list, url_button } = given
  const interactive = {
    ...(header !== undefined && { header }),
    body,
    ...(footer !== undefined && { footer }),
    ...(buttons && { buttons }),
    ...(list && { list }),
    ...(url_button && { url_button }),
  }
  return {
    faults: (fields, driver) => interactiveFaults(fields, driver, true),
    prepare: () => sendingContent('interactive', { interactive }),
  }
}

import { handler } from '../../../contract/handler.ts'
import { sendTextMessage as operation } from '../../../contract/operations/message-operations.ts'
import type { SendText } from '../../../contract/resources/sending.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendMessage, textFaults } from '../../sending/send-message.ts'

export const sendTextMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) =>
      sendMessage(context, operation, call, {
        faults,
        prepare: () => ({ kind: 'text', text: call.body.text }),
      }),
    (call) => findSendingFaults(context, call, faults),
  )

function faults({ text = '' }: Partial<SendText>, driver: Driver) {
  return textFaults('text', text, driver)
}

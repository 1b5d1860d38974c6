import { handler } from '../../contract/handler.ts'
import { sendTextMessage as operation } from '../../contract/operations/message-operations.ts'
import type { SendText } from '../../contract/resources/message.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { MessageOperationsContext } from './context.ts'
import { examine, send, textFaults } from './send-message.ts'

export const sendTextMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) =>
      send(context, operation, call, { faults, prepare: () => ({ kind: 'text', text: call.body.text }) }),
    (call) => examine(context, call, faults),
  )

function faults({ text = '' }: Partial<SendText>, driver: Driver) {
  return textFaults('text', text, driver)
}

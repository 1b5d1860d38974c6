import { handler } from '../../../contract/handler.ts'
import { sendTextMessage as operation } from '../../../contract/operations/message-operations.ts'
import type { SendText } from '../../../contract/resources/sending.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingOperation,
  sendMessage,
  textFaults,
} from '../../sending/send-message.ts'

export const sendTextMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, textSending(call.body)),
    (call) => findSendingFaults(context, call, textContentFaults),
  )

export function textSending({ text }: SendText): SendingOperation<SendText> {
  return { faults: textContentFaults, prepare: () => ({ kind: 'text', text }) }
}

export function textContentFaults({ text = '' }: Partial<SendText>, driver: Driver) {
  return textFaults('text', text, driver)
}

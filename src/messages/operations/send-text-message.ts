import { handler } from '../../contract/handler.ts'
import type { SendText } from '../../contract/message.ts'
import { sendTextMessage as operation } from '../../contract/message-operations.ts'
import type { Driver } from '../../networks/driver.ts'
import { examine, lengthFault, send } from '../sending.ts'
import type { MessageOperationsContext } from './context.ts'

export const sendTextMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) =>
      send(context, operation, call, { faults, prepare: () => ({ kind: 'text', text: call.body.text }) }),
    (call) => examine(context, call, faults),
  )

function faults({ text = '' }: Partial<SendText>, { limits }: Driver) {
  return lengthFault('/text', text, limits.text_characters)
}

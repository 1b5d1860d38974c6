import { handler } from '../../../contract/handler.ts'
import { sendLocationMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendLocation } from '../../../contract/resources/sending.ts'
import { locationFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingOperation,
  sendingContent,
  sendMessage,
} from '../../sending/send-message.ts'

export const sendLocationMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, locationSending(call.body)),
    (call) => findSendingFaults<SendLocation>(context, call, locationFaults),
  )

export function locationSending(body: SendLocation): SendingOperation<SendLocation> {
  const { latitude, longitude, name = null, address = null } = body
  const location = { latitude, longitude, name, address }
  return { faults: locationFaults, prepare: () => sendingContent('location', { location }) }
}

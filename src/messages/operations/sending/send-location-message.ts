import { handler } from '../../../contract/handler.ts'
import { sendLocationMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendLocation } from '../../../contract/resources/sending.ts'
import { locationFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendingContent, sendMessage } from '../../sending/send-message.ts'

export const sendLocationMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => {
      const { latitude, longitude, name = null, address = null } = call.body
      return sendMessage(context, operation, call, {
        faults: locationFaults,
        prepare: () => sendingContent('location', { location: { latitude, longitude, name, address } }),
      })
    },
    (call) => findSendingFaults<SendLocation>(context, call, locationFaults),
  )

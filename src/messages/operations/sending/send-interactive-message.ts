import { handler } from '../../../contract/handler.ts'
import { sendInteractiveMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendInteractive } from '../../../contract/resources/sending.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import { interactiveFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendingContent, sendMessage } from '../../sending/send-message.ts'

export const sendInteractiveMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => {
      const { header, body, footer, buttons, list, url_button } = call.body
      const interactive = {
        ...(header !== undefined && { header }),
        body,
        ...(footer !== undefined && { footer }),
        ...(buttons && { buttons }),
        ...(list && { list }),
        ...(url_button && { url_button }),
      }
      const faults = (given: Partial<SendInteractive>, driver: Driver) =>
        interactiveFaults(given, driver, true)
      return sendMessage(context, operation, call, {
        faults,
        prepare: () => sendingContent('interactive', { interactive }),
      })
    },
    (call) => findSendingFaults<SendInteractive>(context, call, interactiveFaults),
  )

import { handler } from '../../../contract/handler.ts'
import { sendTemplateMessage as operation } from '../../../contract/operations/message-operations.ts'
import type { SendTemplate } from '../../../contract/resources/sending.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import { noTemplates, templateFaults } from '../../../networks/kit/template-check.ts'
import { templateText } from '../../message.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendMessage } from '../../sending/send-message.ts'

export const sendTemplateMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => {
      const { name, language, components = [] } = call.body
      return sendMessage(context, operation, call, {
        faults: (body, driver) => {
          if (!driver.templates) throw noTemplates(context.networks)
          return faults(body, driver)
        },
        prepare: () => ({ kind: 'template', text: templateText({ name, language, components }) }),
        outsideWindow: true,
      })
    },
    (call) => findSendingFaults(context, call, faults),
  )

/** The faults of a template as far as it was given; what is missing is said by the contract. */
function faults(body: Partial<SendTemplate>, driver: Driver) {
  const { name = 'name', language = 'en', components = [] } = body
  return templateFaults(driver, { name, language, components })
}

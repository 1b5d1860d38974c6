import { handler } from '../../../contract/handler.ts'
import { sendTemplateMessage as operation } from '../../../contract/operations/message-operations.ts'
import type { SendTemplate } from '../../../contract/resources/sending.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import { noTemplates, templateFaults } from '../../../networks/kit/template-check.ts'
import { templateText } from '../../message.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, type SendingOperation, sendMessage } from '../../sending/send-message.ts'

export const sendTemplateMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, templateSending(context, call.body)),
    (call) => findSendingFaults(context, call, templateContentFaults),
  )

export function templateSending(
  { networks, templateCategories }: MessageOperationsContext,
  { name, language, components = [], category }: SendTemplate,
): SendingOperation<SendTemplate> {
  return {
    faults: (body, driver) => {
      if (!driver.templates) throw noTemplates(networks)
      return templateContentFaults(body, driver)
    },
    prepare: async ({ instanceId: instance }, _, { address, organizationId: party, turn }) => {
      const said = category && { category }
      await templateCategories.admit({ instance, address, name, language, ...said, party, turn })
      return { kind: 'template', text: templateText({ name, language, components, ...said }) }
    },
    outsideWindow: true,
  }
}

/** The faults of a template as far as it was given; what is missing is said by the contract. */
export function templateContentFaults(body: Partial<SendTemplate>, driver: Driver) {
  const { name = 'name', language = 'en', components = [] } = body
  return templateFaults(driver, { name, language, components })
}

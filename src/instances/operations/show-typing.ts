import { handler } from '../../contract/handler.ts'
import { showTyping as operation } from '../../contract/operations/instance-operations.ts'
import { invalid, lackingAbility } from '../../contract/problem.ts'
import { newestReceived } from '../../messages/list/newest-received.ts'
import { topicFaults } from '../../messages/sending/sending-abilities.ts'
import { NodeSilent } from '../../nodes/asks.ts'
import { type InstanceOperationsContext, readInstance } from './context.ts'

export const showTyping = (context: InstanceOperationsContext) => {
  const { networks, supervisor, store } = context
  return handler(operation, async ({ caller, params, body, signal, turn }) => {
    const { row } = await readInstance(context, caller.organizationId, params.name)
    const driver = networks.get(row.network)
    if (!driver?.abilities.typing) throw lackingAbility('typing')
    const to = driver.parseAddress(body.to)
    if (!to.ok) throw invalid({ pointer: '/to', code: 'recipient_invalid', detail: to.detail })
    const { seconds, topic } = body
    if (topic !== undefined) {
      const [fault] = topicFaults(topic, driver)
      if (fault) throw invalid(fault)
    }
    const conversation = {
      organizationId: caller.organizationId,
      instanceName: row.name,
      address: to.address,
    }
    const needsMessage = driver.abilities.typing === 'answering'
    const answering = needsMessage ? await newestReceived(store, conversation, turn) : null
    const asked = {
      ...{ to: to.address, seconds },
      ...(topic !== undefined && { topic }),
      ...(answering !== null && { answering }),
    }
    await supervisor.ask(row.id, 'show-typing', asked, signal).catch((error: unknown) => {
      // It is dropped where it cannot be shown.
      if (!(error instanceof NodeSilent)) throw error
    })
    return { status: 202 }
  })
}

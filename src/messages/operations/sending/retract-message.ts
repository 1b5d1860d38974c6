import { handler } from '../../../contract/handler.ts'
import { retractMessage as operation } from '../../../contract/operations/following-operations.ts'
import { cancelInPlace } from '../../sending/cancel-in-place.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { follow, mustBeOwn, mustBeRecent, mustSend } from '../../sending/follow-message.ts'
import { isRelation, notEditable } from '../../sending/referable.ts'

export const retractMessage = (context: MessageOperationsContext) =>
  handler(operation, async (call) => {
    const { caller, params, turn } = call
    const canceled = await cancelInPlace(context, caller, params.id, turn)
    if (canceled) return { status: 200, body: canceled }
    return follow(context, operation, call, {
      type: 'retraction',
      check: (target, driver) => {
        mustSend(driver, 'retract')
        mustBeOwn(target)
        if (target.relation?.type === 'correction')
          throw notEditable('This is itself an edit: retract the message that its `relation` names.')
        mustBeRecent(target, driver.limits.retract_seconds, context.clock.now())
        if (isRelation(target))
          throw notEditable('To take a reaction back, react to the same message with `emoji: null`.')
      },
      faults: () => [],
      content: { kind: 'retraction', text: null },
    })
  })

import { handler } from '../../../contract/handler.ts'
import { retractMessage as operation } from '../../../contract/operations/following-operations.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  follow,
  isRelation,
  mustBeOwn,
  mustBeRecent,
  mustSend,
  notEditable,
} from '../../sending/follow-message.ts'

export const retractMessage = (context: MessageOperationsContext) =>
  handler(operation, (call) =>
    follow(context, operation, call, {
      type: 'retraction',
      check: (target, driver) => {
        mustSend(driver, 'retract')
        mustBeOwn(target)
        mustBeRecent(target, driver.limits.retract_seconds, context.clock.now())
        if (isRelation(target))
          throw notEditable('To take a reaction back, react to the same message with `emoji: null`.')
      },
      faults: () => [],
      content: { kind: 'retraction', text: null },
    }),
  )

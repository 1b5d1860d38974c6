import { handler } from '../../../contract/handler.ts'
import { reactToMessage as operation } from '../../../contract/operations/following-operations.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { emojiFaults, follow, mustSend } from '../../sending/follow-message.ts'
import { isRelation, notEditable } from '../../sending/referable.ts'

export const reactToMessage = (context: MessageOperationsContext) =>
  handler(operation, (call) =>
    follow(context, operation, call, {
      type: 'reaction',
      check: (target, driver) => {
        mustSend(driver, 'reaction')
        if (isRelation(target)) throw notEditable('A reaction or a retraction gets no reactions.')
      },
      faults: () => emojiFaults(call.body.emoji),
      content: { kind: 'reaction', text: call.body.emoji ?? '' },
    }),
  )

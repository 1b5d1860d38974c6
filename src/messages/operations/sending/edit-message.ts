import { handler } from '../../../contract/handler.ts'
import { editMessage as operation } from '../../../contract/operations/following-operations.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  editFaults,
  follow,
  isFile,
  mustBeOwn,
  mustBeRecent,
  mustSend,
} from '../../sending/follow-message.ts'
import { notEditable } from '../../sending/referable.ts'

export const editMessage = (context: MessageOperationsContext) =>
  handler(operation, (call) => {
    const { text, caption } = call.body
    return follow(context, operation, call, {
      type: 'correction',
      check: (target, driver) => {
        mustSend(driver, 'edit')
        mustBeOwn(target)
        mustBeRecent(target, driver.limits.edit_seconds, context.clock.now())
        if (target.kind !== 'text' && !isFile(target))
          throw notEditable('Only texts and the captions of files can be edited. Send a new message.')
        if (target.relation?.type === 'correction')
          throw notEditable('This is itself an edit: edit the message that its `relation` names.')
      },
      faults: (target, driver) => editFaults(call.body, target, driver),
      content: { kind: 'text', text: text ?? caption ?? '' },
    })
  })

import { handler } from '../../../contract/handler.ts'
import { sendPollMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendPoll } from '../../../contract/resources/sending.ts'
import { pollFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { findSendingFaults, sendingContent, sendMessage } from '../../sending/send-message.ts'

export const sendPollMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => {
      const { question, options, multiple_answers = false } = call.body
      return sendMessage(context, operation, call, {
        faults: pollFaults,
        prepare: () => sendingContent('poll', { poll: { question, options, multiple_answers } }),
      })
    },
    (call) => findSendingFaults<SendPoll>(context, call, pollFaults),
  )

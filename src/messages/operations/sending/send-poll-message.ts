import { handler } from '../../../contract/handler.ts'
import { sendPollMessage as operation } from '../../../contract/operations/content-operations.ts'
import type { SendPoll } from '../../../contract/resources/sending.ts'
import { pollFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import {
  findSendingFaults,
  type SendingOperation,
  sendingContent,
  sendMessage,
} from '../../sending/send-message.ts'

export const sendPollMessage = (context: MessageOperationsContext) =>
  handler(
    operation,
    (call) => sendMessage(context, operation, call, pollSending(call.body)),
    (call) => findSendingFaults<SendPoll>(context, call, pollFaults),
  )

export function pollSending({
  question,
  options,
  multiple_answers = false,
}: SendPoll): SendingOperation<SendPoll> {
  const poll = { question, options, multiple_answers }
  return { faults: pollFaults, prepare: () => sendingContent('poll', { poll }) }
}

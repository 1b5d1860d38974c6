import { type Caller, handler } from '../../../contract/handler.ts'
import { sees } from '../../../contract/operation.ts'
import { sendMessageBatch as operation } from '../../../contract/operations/content-operations.ts'
import { invalid } from '../../../contract/problem.ts'
import { type BatchType, batchMessages, TypedEntry } from '../../../contract/resources/batch.ts'
import { fieldsThatFit, validator } from '../../../contract/validate.ts'
import { contactFaults, interactiveFaults, locationFaults, pollFaults } from '../../sending/content-faults.ts'
import type { MessageOperationsContext } from '../../sending/context.ts'
import { type ReadBatchEntry, sendBatch } from '../../sending/send-batch.ts'
import { findSendingFaults, type SendingBody, type SendingOperation } from '../../sending/send-message.ts'
import { contactsSending } from './send-contacts-message.ts'
import { interactiveSending } from './send-interactive-message.ts'
import { locationSending } from './send-location-message.ts'
import { mediaFaultsWith, mediaSending } from './send-media-message.ts'
import { pollSending } from './send-poll-message.ts'
import { templateContentFaults, templateSending } from './send-template-message.ts'
import { textContentFaults, textSending } from './send-text-message.ts'

export const sendMessageBatch = (context: MessageOperationsContext) => {
  const read = entryReader(context)
  return handler(operation, (call) =>
    sendBatch(context, operation, call, { entries: call.body.messages, read }),
  )
}

/** A type of entry, with what the operation that sends one such message knows. */
interface EntryKind {
  /** Faults of the fields that fit, if others do not. */
  readonly faults: SendingOperation<SendingBody>['faults']
  sending(body: SendingBody, caller: Caller): SendingOperation<SendingBody>
}

/** Forgets the type of the body, which the schema of the same type has checked. */
const kindOf = <Body extends SendingBody>(
  faults: SendingOperation<Body>['faults'],
  sending: (body: Body, caller: Caller) => SendingOperation<Body>,
) => ({ faults, sending }) as unknown as EntryKind

function kindsOf(context: MessageOperationsContext): Readonly<Record<BatchType, EntryKind>> {
  return {
    text: kindOf(textContentFaults, textSending),
    media: kindOf(mediaFaultsWith(context), (body, caller) =>
      mediaSending(context, { body, caller, upload: undefined }),
    ),
    template: kindOf(templateContentFaults, (body) => templateSending(context, body)),
    location: kindOf(locationFaults, locationSending),
    contacts: kindOf(contactFaults, contactsSending),
    interactive: kindOf(interactiveFaults, interactiveSending),
    poll: kindOf(pollFaults, pollSending),
  }
}

/** Makes the function that checks an entry by its type, as the operation of that type checks its body. */
function entryReader(context: MessageOperationsContext): ReadBatchEntry {
  const kinds = kindsOf(context)
  const typeFaults = validator(TypedEntry)
  const readerOf = (type: BatchType): ReadBatchEntry => {
    const { faults, sending } = kinds[type]
    const schema = batchMessages[type]
    const validate = validator(schema)
    const fitting = fieldsThatFit(schema)
    return async (entry, caller) => {
      const found = validate(entry)
      if (found.length === 0)
        return { body: entry as SendingBody, sending: sending(entry as SendingBody, caller) }
      const { instance, ...fields } = fitting(entry)
      const seen = typeof instance === 'string' && sees(caller, instance) ? { instance } : {}
      const more = await findSendingFaults(context, { caller, body: { ...fields, ...seen } }, faults)
      const known = new Set(found.map(({ pointer }) => pointer))
      throw invalid(...found, ...more.filter(({ pointer }) => !known.has(pointer)))
    }
  }
  const types = Object.keys(batchMessages) as BatchType[]
  const readers = Object.fromEntries(types.map((type) => [type, readerOf(type)])) as Record<
    BatchType,
    ReadBatchEntry
  >
  return async (entry, caller) => {
    const found = typeFaults(entry)
    if (found.length > 0) throw invalid(...found)
    const { type } = entry as { readonly type: BatchType }
    return readers[type](entry, caller)
  }
}

import { oneOf, record } from '../scalars.ts'
import Type from '../type.ts'
import {
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendPoll,
  SendTemplate,
  SendText,
} from './sending.ts'

/** Messages that one request may send. */
export const maxBatch = 100

/** Bytes that a request with several messages may have. */
export const maxBatchBytes = 512 * 1024

const of = <const Kind extends string>(kind: Kind) => ({
  type: oneOf([kind], {
    title: `BatchType${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    description: `The operation whose body this is: \`POST /v1/messages/${kind}\`.`,
  }),
})

const BatchText = record('BatchText', { ...of('text'), ...SendText.properties })
const BatchMedia = record('BatchMedia', { ...of('media'), ...SendMedia.properties })
const BatchTemplate = record('BatchTemplate', { ...of('template'), ...SendTemplate.properties })
const BatchLocation = record('BatchLocation', { ...of('location'), ...SendLocation.properties })
const BatchContacts = record('BatchContacts', { ...of('contacts'), ...SendContacts.properties })
const BatchInteractive = record('BatchInteractive', { ...of('interactive'), ...SendInteractive.properties })
const BatchPoll = record('BatchPoll', { ...of('poll'), ...SendPoll.properties })

/** The messages that a batch may have, by their types. */
export const batchMessages = {
  text: BatchText,
  media: BatchMedia,
  template: BatchTemplate,
  location: BatchLocation,
  contacts: BatchContacts,
  interactive: BatchInteractive,
  poll: BatchPoll,
} as const

export type BatchType = keyof typeof batchMessages

/** An entry of a batch, as far as it says what it is. */
export const TypedEntry = Type.Object({
  type: oneOf(Object.keys(batchMessages), { description: 'The operation that sends one such message.' }),
})

export const SendBatch = record('SendBatch', {
  messages: Type.Array(
    Type.Union(
      [BatchText, BatchMedia, BatchTemplate, BatchLocation, BatchContacts, BatchInteractive, BatchPoll],
      {
        title: 'BatchMessage',
        description: 'The body of an operation that sends one message, with `type` saying which one.',
      },
    ),
    {
      minItems: 1,
      maxItems: maxBatch,
      description:
        'The messages, in the order in which they are to leave. Each is checked separately: an invalid one does not affect the others. ' +
        'They may belong to different instances. A file is given by its URL.',
    },
  ),
})

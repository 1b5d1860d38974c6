import type { Static } from 'typebox'
import { problemCodes } from './problems.ts'
import { exampleRequestId } from './resources/examples.ts'
import { Message } from './resources/message.ts'
import { record } from './scalars.ts'
import Type from './type.ts'

/** One invalid value. */
export const InvalidValue = record('InvalidValue', {
  pointer: Type.String({
    description: 'A JSON pointer (RFC 6901) into the body, or `query/…`, `header/…` for a parameter.',
    examples: ['/to'],
  }),
  code: Type.String({ description: 'The fault, as a stable code.', examples: ['recipient_invalid'] }),
  detail: Type.String({
    description: 'A sentence about the fault, for people to read. It never repeats the value.',
  }),
})
export type InvalidValue = Static<typeof InvalidValue>

/** The body of every response that is not a success (RFC 9457, `application/problem+json`). */
export const ProblemBody = record(
  'Problem',
  {
    type: Type.String({
      description: 'A URI reference that identifies the problem and leads to its explanation.',
      examples: ['/problems/invalid_request'],
    }),
    title: Type.String({ description: 'The problem in a few words; the same for every occurrence.' }),
    status: Type.Integer({ description: 'The HTTP status of the response.' }),
    detail: Type.String({ description: 'What happened this time, and what to do next.' }),
    code: Type.String({
      title: 'ProblemCode',
      enum: problemCodes,
      description: 'The stable code that your program can rely on.',
    }),
    request_id: Type.String({
      description: 'Identifies this request in the log of the server.',
      examples: [exampleRequestId],
    }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'With `restored`: the cursor from which to continue the feed.',
        examples: ['IjRqdzhyMGttLjQzIg'],
      }),
    ),
    errors: Type.Optional(
      Type.Array(InvalidValue, { description: 'Each invalid value, if the request was invalid.' }),
    ),
  },
  'A problem as defined by RFC 9457. Rely on `code`, show `detail`, and quote `request_id`.',
)
export type ProblemBody = Static<typeof ProblemBody>

const { request_id: _, next_cursor: __, ...problemFields } = ProblemBody.properties

/** A problem of one message among several: the response has the id of the request. */
export const BatchProblem = record(
  'BatchProblem',
  {
    ...problemFields,
    status: Type.Integer({
      description: 'The HTTP status that a request with this message alone would get.',
    }),
    errors: Type.Optional(
      Type.Array(InvalidValue, {
        description: 'Each invalid value, if the message was invalid. Pointers begin at the message.',
      }),
    ),
  },
  'The reason for which one message of a batch was refused.',
)
export type BatchProblem = Static<typeof BatchProblem>

export const BatchResult = record(
  'BatchResult',
  {
    status: Type.Integer({
      description: '202 if the message was accepted, and otherwise the status of its problem.',
      examples: [202],
    }),
    message: Type.Optional(Message),
    problem: Type.Optional(BatchProblem),
  },
  'The result for one message of a batch: either `message` or `problem`.',
)
export type BatchResult = Static<typeof BatchResult>

export const BatchResults = record('BatchResults', {
  accepted: Type.Integer({ minimum: 0, description: 'The number of messages that were accepted.' }),
  refused: Type.Integer({ minimum: 0, description: 'The number of messages that were refused.' }),
  data: Type.Array(BatchResult, { description: 'The result of each message, in the order of the request.' }),
})

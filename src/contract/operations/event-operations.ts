import { idPattern } from '../../runtime/ids.ts'
import { operation } from '../operation.ts'
import {
  ConversationTypingEvent,
  Event,
  eventTypes,
  StreamedEventType,
  schemaOfEvent,
  typingEvent,
} from '../resources/event.ts'
import { deliveredEvent, eventStream, queuedEvent } from '../resources/examples.ts'
import { Cursor, InstanceName, paging, record } from '../scalars.ts'
import Type from '../type.ts'

/** The cursor for callers who want no past events. */
export const latest = 'latest'

const EventPage = record('EventPage', {
  data: Type.Array(Event, { description: 'The events, oldest first.' }),
  next_cursor: Type.String({
    description:
      'Pass it as `after` to continue. It is always present, because the feed has no end: if it equals the value you passed, ' +
      'nothing has happened since. A page may hold fewer events than `limit`, or none, and still be followed by more.',
    examples: ['IjRqdzhyMGttLjQzIg'],
  }),
})

export const listEvents = operation('GET /v1/events', {
  id: 'listEvents',
  summary: 'Read or follow the events',
  description:
    'Returns the events of your organization, oldest first, and the cursor from which to continue. Call it in a loop with the last ' +
    '`next_cursor` as `after` and `Prefer: wait=N`: you miss nothing and see nothing twice, even if a connection breaks.\n\n' +
    'With `Accept: text/event-stream` the response stays open and sends each event as it happens: `event` is its type, `data` the same ' +
    'object as in a page, and `id` a cursor. Without `after`, a stream begins with new events, while a page begins with the oldest ' +
    'event that is kept. When the stream ends, reconnect with the last `id` as `Last-Event-ID`. An `id` without `data` is not an ' +
    "event: it only moves the position from which you would continue. Pages and streams accept each other's cursors. The server " +
    'disconnects a client that reads nothing for some seconds; the client can reconnect.\n\n' +
    'Events are kept for 30 days, unless the operator chose otherwise. If events after a cursor were removed, the server ' +
    'refuses the cursor with `cursor_expired`, so you never miss events unknowingly. After the server was restored from a ' +
    'backup, it refuses an older cursor with `restored`, and the problem contains the cursor from which to continue.',
  access: 'read',
  filtered: true,
  query: record('ListEventsQuery', {
    after: Type.Optional(
      Type.String({
        ...Cursor,
        description:
          'Where to continue: the `next_cursor` of a page, or the `id` of an event of a stream. `latest` begins with new ' +
          'events.',
      }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description:
          'Instead of `after`: begins with this many of the newest matching events. At most 10,000 events are examined for that.',
      }),
    ),
    limit: paging.limit,
    types: Type.Optional(
      Type.Array(StreamedEventType, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description:
          'Only events of these types, separated by commas. `conversation.typing`, which reports people who begin or stop typing, ' +
          'is only for streams, and comes only if it is named here. It is not stored, has no `id`, and may be missed.',
        examples: [['message.received', 'message.failed']],
      }),
    ),
    instances: Type.Optional(
      Type.Array(InstanceName, {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          'Only events of the instances with these names, separated by commas. Events that concern no instance are still included.',
        examples: [['support']],
      }),
    ),
  }),
  waits: 'there is an event for the page',
  resumes: true,
  responses: {
    200: {
      description: 'A page of events.',
      body: EventPage,
      example: { data: [queuedEvent, deliveredEvent], next_cursor: 'IjRqdzhyMGttLjQzIg' },
      media: {
        'text/event-stream': {
          description: 'The events as they happen.',
          example: eventStream,
          events: {
            ...Object.fromEntries(eventTypes.map((type) => [type, schemaOfEvent(type)])),
            [typingEvent]: ConversationTypingEvent,
          },
        },
      },
    },
  },
  problems: ['cursor_expired', 'restored'],
})

export const getEvent = operation('GET /v1/events/{event}', {
  id: 'getEvent',
  summary: 'Read an event',
  description: 'Returns an event that is still kept, as it is in the feed and at webhooks.',
  access: 'read',
  filtered: true,
  params: record('EventPath', {
    event: Type.String({ pattern: idPattern('evt'), description: 'The id of the event.' }),
  }),
  responses: { 200: { description: 'The event.', body: Event, example: deliveredEvent } },
})

export const eventOperations = [listEvents, getEvent] as const

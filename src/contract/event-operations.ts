import Type from 'typebox'
import { Event, EventType, eventTypes, schemaOfEvent } from './event.ts'
import { deliveredEvent, eventStream, queuedEvent } from './examples.ts'
import { operation } from './operation.ts'
import { Cursor, InstanceName, paging, record } from './scalars.ts'

/** What stands for a cursor where a caller wants nothing of what was. */
export const latest = 'latest'

const EventPage = record('EventPage', {
  data: Type.Array(Event, { description: 'The events, the oldest first.' }),
  next_cursor: Type.String({
    description:
      'Pass it as `after` to read on. It is always there, since the feed goes on: where it is what you passed, nothing has ' +
      'happened since. A page may hold fewer events than `limit`, or none, and yet lead on.',
    examples: ['IjRqdzhyMGttLjQzIg'],
  }),
})

export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  tag: 'Events',
  summary: 'Read or follow the events',
  description:
    'Returns what happened in your organization, the oldest first, and where to read on. Call it in a loop with the last ' +
    '`next_cursor` as `after` and `Prefer: wait=N`, and you miss nothing and see nothing twice, whatever ends in between.\n\n' +
    'With `Accept: text/event-stream` it stays open and sends each event as it happens: `event` is its type, `data` the same ' +
    'object as in a page, and `id` a cursor. Without `after` it begins now, while a page begins with the oldest event that is ' +
    'kept. When the stream ends, connect again with the last `id` as `Last-Event-ID`. An `id` without `data` is no event: it ' +
    'moves on where you would begin. You may change from pages to a stream and back: each takes the cursors of the other. A ' +
    'listener that takes in nothing for some seconds is left, and can come again.\n\n' +
    'Events are kept for 30 days, if the operator did not choose otherwise. A cursor behind which some were removed is ' +
    'refused with `cursor_expired`: nothing is ever left out unsaid. If the server went back to a backup, a cursor from before ' +
    'is refused with `restored`, and the problem has the cursor to go on with.',
  access: 'read',
  filtered: true,
  query: record('ListEventsQuery', {
    after: Type.Optional(
      Type.String({
        ...Cursor,
        description:
          'Where to go on: the `next_cursor` of a page, or the `id` of an event of a stream. `latest` begins with what happens ' +
          'from now on, whatever was before.',
      }),
    ),
    limit: paging.limit,
    types: Type.Optional(
      Type.Array(EventType, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'Only events of these types, separated by commas.',
        examples: [['message.received', 'message.failed']],
      }),
    ),
    instances: Type.Optional(
      Type.Array(InstanceName, {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          'Only events of the instances with these names, separated by commas. Events that are about no instance are not left out.',
        examples: [['support']],
      }),
    ),
  }),
  waits: 'there is an event for the page',
  resumes: true,
  replies: {
    200: {
      description: 'A page of events.',
      body: EventPage,
      example: { data: [queuedEvent, deliveredEvent], next_cursor: 'IjRqdzhyMGttLjQzIg' },
      headers: ['Preference-Applied'],
      media: {
        'text/event-stream': {
          description: 'The events as they happen.',
          example: eventStream,
          events: Object.fromEntries(eventTypes.map((type) => [type, schemaOfEvent(type)])),
        },
      },
    },
  },
  problems: ['cursor_expired', 'restored', 'not_acceptable', 'too_many_streams'],
})

export const eventOperations = [listEvents] as const

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, ProblemError } from '../contract/client/client.ts'
import { latest, listEvents } from '../contract/operations/event-operations.ts'
import { type Event, type EventType, eventTypes } from '../contract/resources/event.ts'
import { type Option, Refusal, type Values } from './command.ts'
import { explain } from './output.ts'

/** The flags by which events are chosen. */
export const choiceOptions = {
  types: {
    type: 'string',
    value: 'TYPE,…',
    description: 'Only events of these types, for example message.received.',
  },
  instances: { type: 'string', value: 'NAME,…', description: 'Only events of these instances.' },
  after: {
    type: 'string',
    value: 'CURSOR',
    description: 'Start after this cursor of the feed. By default, with new events.',
  },
} as const satisfies Record<string, Option>

/** Returns a signal that aborts when a person ends the command. */
export function untilInterrupted(): AbortSignal {
  const end = new AbortController()
  process.once('SIGINT', () => end.abort()).once('SIGTERM', () => end.abort())
  return end.signal
}

/** Milliseconds to wait before a server that does not answer is asked again. */
const retryAfter = 1_000

/**
 * The events as they happen, until `signal` aborts. If the server goes away, this waits for it and resumes at the same place.
 * Throws if the server refuses.
 */
export async function* followEvents(
  client: Client,
  options: Values<typeof choiceOptions>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const choice = choiceOf(options)
  let cursor = options.after
  let isAway = false
  while (!signal.aborted) {
    try {
      // The end of the feed is read first, because a stream that ends before its first event gives no cursor.
      cursor ??= (await client.call(listEvents, { query: { after: latest, limit: 1 }, signal })).body
        .next_cursor
      const events = client.stream(listEvents, { query: { ...choice, after: cursor }, signal })
      if (isAway) explain('the server is back')
      isAway = false
      for await (const { data, id } of events) {
        cursor = id
        yield data as Event
      }
    } catch (error) {
      if (signal.aborted) return
      const next = error instanceof ProblemError && error.problem.next_cursor
      if (next) {
        explain(error.problem.detail)
        cursor = next
        continue
      }
      if (error instanceof ProblemError && !error.problem.retryable) throw refusalOfProblem(error)
      if (!isAway) explain('the server does not respond; waiting for it')
      isAway = true
    }
    if (!signal.aborted) await wait(retryAfter, undefined, { signal }).catch(() => {})
  }
}

/** The filters of the feed that the flags mean. */
export function choiceOf(options: Pick<Values<typeof choiceOptions>, 'types' | 'instances'>) {
  const types = listIn(options.types)
  const instances = listIn(options.instances)
  const unknown = types?.find((type) => !eventTypes.includes(type as EventType))
  if (unknown !== undefined)
    throw new Refusal(`there is no such event type; the types are: ${eventTypes.join(', ')}`)
  return {
    ...(types ? { types: types as EventType[] } : {}),
    ...(instances ? { instances } : {}),
  }
}

/** The refusal of a problem that does not pass by itself. */
export function refusalOfProblem({ problem }: ProblemError): Refusal {
  return new Refusal(`the server refuses: ${problem.detail.replace(/\.$/, '')} (${problem.code})`)
}

function listIn(option: string | undefined): string[] | undefined {
  return option?.split(',').filter(Boolean)
}

/** An event in one line, for people. */
export function eventLine({ type, sequence, timestamp, data }: Event): string {
  const { instance, message } = data as {
    readonly instance?: { readonly name: string; readonly status?: string }
    readonly message?: {
      readonly id: string
      readonly conversation: string
      readonly text?: string
      readonly caption?: string | null
      readonly template?: { readonly name: string; readonly language: string }
      readonly kind: string
    }
  }
  const { template } = message ?? {}
  const words = template
    ? `${template.name} (${template.language})`
    : (message?.text ?? message?.caption ?? '')
  const about = message
    ? `${message.conversation}  ${message.kind === 'text' ? '' : `[${message.kind}] `}${shown(words)}`
    : (instance?.status ?? '')
  const time = timestamp.slice(0, 19).replace('T', ' ')
  return [time, `#${sequence}`.padEnd(7), type.padEnd(23), instance?.name ?? '-', about].join('  ').trimEnd()
}

/** Returns the beginning of a text from the outside, without characters that a terminal would obey. */
function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

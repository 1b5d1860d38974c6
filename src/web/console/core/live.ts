import { useEffect, useRef } from 'preact/hooks'
import type {
  InstanceEventData,
  MessageEventData,
  Event as PosthornEvent,
  StreamedEventType,
} from '../../../contract/resources/event.ts'
import { call, urlOf } from './api.ts'
import { contract, type Request } from './operations.ts'
import { check, heard, whenReachChanges, whenServerReturns } from './reach/reach.ts'
import { forgetTyping, noteArrival, noteTyping } from './typing.ts'

export type LiveEvent = PosthornEvent

/** `live`: changes come as they happen. `opening`: they soon will. `rereading`: they do not, so what is shown is read again and again. */
export type Liveness = 'live' | 'opening' | 'rereading'

interface Listener {
  event(event: LiveEvent, cursor: string): void
  /** Events may have been missed: what is shown must be read again. */
  missed(): void
}

/** Milliseconds for which a hidden tab keeps its stream. */
const keptHidden = 60_000
/** Milliseconds before a stream that was refused is requested again: twice as many each time, within these bounds. */
const retryAfter = { first: 3_000, longest: 30_000 }
/** Milliseconds without a stream after which everything is read again from time to time in its place. */
const silenceTimeout = 6_000
const rereadEvery = 15_000
/** Milliseconds without a stream after which everything is read again instead of every event that was missed. */
const longestGap = 60_000
/** Events that may wait until it is known whom they are for. */
const maxWaiting = 5_000
/**
 * Milliseconds for which events are collected: drawing for each of a hundred in a second would stall the page. More if
 * drawing takes long, so that a flood leaves most of the time to the person who uses the page.
 */
const collectedFor = { least: 100, most: 1_000 }
const timesDrawing = 4
/** The type of the events that say who is writing. */
const typingEvent = 'conversation.typing'
/** Milliseconds by which events may be later than the first ones: beyond that, everything is read again instead of them. */
const longestDelay = 20_000

const listeners = new Set<Listener>()
let source: EventSource | undefined
/** The beginning of the stream: before anything was read, so that nothing is missed between reading and listening. */
let beginning: string | undefined
/**
 * True if the incoming events are for the key that opened this page: the browser opens the stream by itself, for the key
 * that is signed in.
 */
let isOurs = false
let collecting = collectedFor.least
let pending: { readonly event: LiveEvent; readonly cursor: string }[] = []
let hiding: ReturnType<typeof setTimeout> | undefined
let retrying: ReturnType<typeof setTimeout> | undefined
let refusals = 0
/** The last event that came, and where the stream began before there was any. */
let last: { readonly cursor: string | undefined; readonly at: number } | undefined
let waiting: ReturnType<typeof setTimeout> | undefined
let liveness: Liveness = 'opening'
const onChange = new Set<(liveness: Liveness) => void>()

/** Notes where the events are now. Called before the first screen reads anything. */
export async function findBeginning(): Promise<void> {
  const { next_cursor } = await call('listEvents', { query: { after: 'latest', limit: 1 } })
  beginning = next_cursor
}

/** The one stream of events of this tab, which feeds all screens. It opens with the first listener. */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  // A hidden tab has its stream when it is shown.
  if (!source && !document.hidden) open(beginning)
  return () => listeners.delete(listener)
}

/** Ends the stream, for example when the session ends. */
export function endStream(): void {
  clearTimeout(retrying)
  clearTimeout(waiting)
  source?.close()
  source = undefined
  isOurs = false
  pending = []
  forgetTyping()
  setLiveness('opening')
}

/** Calls `then` with each event while the component is shown, and `missed` when events may have been missed. */
export function useLive(
  then: (event: LiveEvent, cursor: string) => void,
  missed: () => void = () => {},
): void {
  const latest = useRef({ then, missed })
  latest.current = { then, missed }
  useEffect(
    () =>
      listen({
        event: (event, cursor) => latest.current.then(event, cursor),
        missed: () => latest.current.missed(),
      }),
    [],
  )
}

/** The instance that an event is about, as it was then; undefined if it is about something else. */
export function instanceIn({ type, data }: LiveEvent): InstanceEventData['instance'] | undefined {
  return type.startsWith('instance.') ? (data as InstanceEventData).instance : undefined
}

/** The message that an event is about, as it was then; undefined if it is about something else. */
export function messageIn({ type, data }: LiveEvent): MessageEventData['message'] | undefined {
  return type.startsWith('message.') ? (data as MessageEventData).message : undefined
}

/** Calls `then` with the way in which changes come, now and whenever it changes. Returns a function that ends that. */
export function whenLivenessChanges(then: (liveness: Liveness) => void): () => void {
  onChange.add(then)
  then(liveness)
  return () => onChange.delete(then)
}

/** Asks for the stream now, and has everything read again. */
export function openNow(): void {
  refusals = 0
  again()
}

/** Opens the stream behind a cursor, or at the newest event; `opened` is called when it is open the first time. */
function open(after?: string, opened?: () => void): void {
  const stream = new EventSource(urlOf('listEvents', streamRequest(after)))
  source = stream
  isOurs = false
  last = { cursor: after, at: Date.now() }
  if (liveness !== 'rereading') rereadAfter(silenceTimeout)
  let seen: number | undefined = after === undefined ? undefined : Date.now()
  let leastAge = Number.POSITIVE_INFINITY
  for (const type of contract.eventTypes) {
    stream.addEventListener(type, (message) => {
      seen = Date.now()
      last = { cursor: message.lastEventId, at: seen }
      heard()
      const event: LiveEvent = JSON.parse(message.data)
      // The clocks of server and browser may differ: only what is later than others were says that the page is behind.
      const age = seen - Date.parse(event.timestamp)
      leastAge = Math.min(leastAge, age)
      if (isOurs && age - leastAge > longestDelay) {
        endStream()
        open(undefined, tellMissed)
        return
      }
      pending.push({ event, cursor: message.lastEventId })
      if (isOurs && pending.length === 1) setTimeout(passOn, collecting)
      // Nothing says yet which key is signed in: the events that wait for that must not grow for ever.
      else if (!isOurs && pending.length > maxWaiting) startLater()
    })
  }
  stream.addEventListener(typingEvent, (message) => {
    if (isOurs) noteTyping(JSON.parse(message.data).data)
  })
  stream.onopen = () => {
    if (seen === undefined) opened?.()
    seen = Date.now()
    admit(stream)
  }
  stream.onerror = () => {
    if (source !== stream) return
    isOurs = false
    if (liveness === 'live') {
      setLiveness('opening')
      rereadAfter(silenceTimeout)
    }
    check()
    // The browser reconnects by itself, behind the last event, unless the server refused.
    if (stream.readyState === EventSource.CLOSED) retrying = setTimeout(again, pauseAfterRefusal())
    // After a night there may be a million events behind that one.
    else if (seen !== undefined && Date.now() - seen > longestGap) {
      stream.close()
      open(undefined, tellMissed)
    }
  }
}

/** The request of a stream of all events, and of people who begin to write: those come only if they are named. */
function streamRequest(after: string | undefined): Request<'listEvents'> {
  const types = [...contract.eventTypes, typingEvent] as StreamedEventType[]
  return { query: { types, ...(after === undefined ? {} : { after }) } }
}

/** Passes on what comes once the server has said who is signed in. Events that came before wait. */
async function admit(stream: EventSource): Promise<void> {
  try {
    await call('getMe')
    if (source !== stream || stream.readyState !== EventSource.OPEN) return
    isOurs = true
    refusals = 0
    clearTimeout(waiting)
    setLiveness('live')
    passOn()
  } catch {
    if (source === stream) startLater()
  }
}

function startLater(): void {
  endStream()
  rereadAfter(silenceTimeout)
  retrying = setTimeout(again, pauseAfterRefusal())
}

function pauseAfterRefusal(): number {
  clearTimeout(retrying)
  return Math.min(retryAfter.first * 2 ** refusals++, retryAfter.longest)
}

/** While there is no stream, what it would tell is read again from time to time; a hidden page waits until it is shown. */
function rereadAfter(pause: number): void {
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    if (!document.hidden) {
      setLiveness('rereading')
      tellMissed()
    }
    rereadAfter(rereadEvery)
  }, pause)
}

function passOn(): void {
  const collected = pending
  pending = []
  const begun = performance.now()
  for (const { event } of collected) {
    const message = messageIn(event)
    if (message) noteArrival(message)
  }
  for (const { event, cursor } of collected) for (const listener of listeners) listener.event(event, cursor)
  // By then what they changed was drawn.
  setTimeout(() => {
    const { least, most } = collectedFor
    collecting = Math.min(Math.max(least, timesDrawing * (performance.now() - begun)), most)
  })
}

/** Opens the stream at the newest event, and has everything read again. */
function again(): void {
  clearTimeout(retrying)
  source?.close()
  open()
  tellMissed()
}

/** Goes on behind the last event if that was a moment ago. */
function goOn(): void {
  if (listeners.size === 0 || document.hidden) return
  clearTimeout(retrying)
  source?.close()
  if (last?.cursor !== undefined && Date.now() - last.at <= longestGap) open(last.cursor)
  else again()
}

function tellMissed(): void {
  for (const listener of listeners) listener.missed()
}

function setLiveness(next: Liveness): void {
  if (next === liveness) return
  liveness = next
  for (const then of onChange) then(next)
}

whenReachChanges(({ reach }) => reach === 'lost' && endStream())
whenServerReturns(goOn)
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding)
  if (document.hidden) hiding = setTimeout(endStream, keptHidden)
  else if (!source && listeners.size > 0) again()
})

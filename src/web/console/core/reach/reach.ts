import { sessionUrl } from './server-url.ts'

/*
 * Tells if the server is in reach, so that the page never shows as known what may have changed meanwhile. Every response
 * proves that it is. A call that fails only raises a doubt, and so does silence: then the page probes the server with a
 * request that costs it next to nothing.
 */

/**
 * `known`: what is shown is what the server said. `doubted`: it has been silent for so long that this is not known any more.
 * `lost`: it is out of reach. `returned`: it responds again, and what is shown is being read again.
 */
export type Reach = 'known' | 'doubted' | 'lost' | 'returned'

export interface ReachState {
  readonly reach: Reach
  /** The moment of the server's last response, in milliseconds. */
  readonly heardAt: number
}

/** Milliseconds that the server may be silent until it is probed. */
const quiet = 15_000
/** Milliseconds that the response to a probe may take. */
const reachTimeout = 8_000
/** Milliseconds of silence after which nothing is known any more, for example because the computer slept. */
const longestSilence = quiet + reachTimeout + 12_000
/** Milliseconds between two measurements of the silence. */
const watchEvery = 3_000
/** Milliseconds between two probes of a lost server: twice as many after each attempt, within these bounds. */
const pauses = { first: 1_000, longest: 30_000 }
/** Milliseconds within which every screen has begun to read again. */
const begunWithin = 200

let state: ReachState = { reach: 'known', heardAt: Date.now() }
let attempts = 0
let probing: Promise<void> | undefined
let retrying: ReturnType<typeof setTimeout> | undefined
/**
 * Reads that are under way: they end when the server is lost, so that no read that hangs keeps a connection from the next
 * attempt.
 */
const reading = new Set<AbortController>()
let whenAllRead: (() => void) | undefined
const onChange = new Set<(state: ReachState) => void>()
const onReturn = new Set<() => void>()

/**
 * Calls `then` with the state of the connection to the server, now and whenever it changes. Returns a function that ends
 * that.
 */
export function whenReachChanges(then: (state: ReachState) => void): () => void {
  onChange.add(then)
  then(state)
  return () => onChange.delete(then)
}

/**
 * Calls `then` when the server is back and everything that is shown must be read again. Returns a function that ends that, which
 * returns false if it was ended before.
 */
export function whenServerReturns(then: () => void): () => boolean {
  onReturn.add(then)
  return () => onReturn.delete(then)
}

/**
 * Asks the server at once, and calls `then` one time as soon as it is in reach: now, or when it is back. For what failed outside
 * of a call, perhaps after the server was back already. Returns a function that ends that.
 */
export function whenInReach(then: () => void): () => void {
  const finish = () => {
    if (stopWaiting()) then()
  }
  const stopWaiting = whenServerReturns(finish)
  void tryNow().then(() => (state.reach === 'known' || state.reach === 'returned') && finish())
  return stopWaiting
}

/** Notes that the server responded. */
export function heard(): void {
  state = { ...state, heardAt: Date.now() }
  if (state.reach === 'doubted' || state.reach === 'lost') comeBack()
}

/**
 * Notes that a call failed as if the server were out of reach: nothing is known for sure until it has responded, and it is
 * probed at once.
 */
export function doubt(): void {
  if (state.reach === 'lost') return
  // It responds, but not as needed: the next attempt must not follow at once, and for ever.
  if (state.reach === 'returned') lose()
  else {
    change('doubted')
    void tryNow()
  }
}

/** Something happened that a server out of reach may be the cause of: it is asked at once. */
export function check(): void {
  void tryNow()
}

/** Has something read, until the server is lost. */
export async function read<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  reading.add(abort)
  try {
    return await ask(abort.signal)
  } finally {
    reading.delete(abort)
    // A read that follows at once belongs to this one, such as the next page of a list.
    setTimeout(() => reading.size === 0 && whenAllRead?.())
  }
}

/** Returns true if a response comes from the server, and not from a proxy that does not reach it. */
export function isFromServer({ ok, headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return type.startsWith('application/problem+json') || (ok && !type.startsWith('text/html'))
}

/** Probes the server now, and resolves when it has responded or did not. */
export function tryNow(): Promise<void> {
  clearTimeout(retrying)
  probing ??= ask()
    .then(heard, lose)
    .finally(() => {
      probing = undefined
    })
  return probing
}

/** Probes the server with the request for the session: it needs no key, and costs the server next to nothing. */
async function ask(): Promise<void> {
  const signal = AbortSignal.timeout(reachTimeout)
  const response = await fetch(sessionUrl(), { cache: 'no-store', signal })
  await response.body?.cancel()
  if (!isFromServer(response)) throw new TypeError(`HTTP ${response.status}`)
}

function lose(): void {
  change('lost')
  clearTimeout(retrying)
  const pause = Math.min(pauses.first * 2 ** attempts, pauses.longest)
  attempts++
  // Other pages that lost the server at the same moment must not probe it at the same moment.
  retrying = setTimeout(() => void tryNow(), pause * (0.75 + Math.random() / 2))
  for (const abort of reading) abort.abort(new TypeError('the server is out of reach'))
}

/** Has everything read again; it is known once nothing is being read any more. */
function comeBack(): void {
  clearTimeout(retrying)
  change('returned')
  for (const then of onReturn) then()
  const finish = () => {
    whenAllRead = undefined
    if (state.reach !== 'returned') return
    attempts = 0
    change('known')
  }
  setTimeout(() => {
    if (reading.size === 0) finish()
    else whenAllRead = finish
  }, begunWithin)
}

function change(reach: Reach): void {
  if (reach === state.reach) return
  state = { ...state, reach }
  for (const then of onChange) then(state)
}

function watch(): void {
  // A hidden page is not seen; it is watched again when it is shown.
  if (document.hidden || state.reach === 'lost') return
  const silence = Date.now() - state.heardAt
  if (silence > longestSilence && state.reach === 'known') change('doubted')
  if (silence > quiet) void tryNow()
}

/** Watches the server from now on, for as long as its data is on the screen. Returns a function that ends that. */
export function watchServer(): () => void {
  const timer = setInterval(watch, watchEvery)
  document.addEventListener('visibilitychange', watch)
  addEventListener('offline', check)
  addEventListener('online', check)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', watch)
    removeEventListener('offline', check)
    removeEventListener('online', check)
  }
}

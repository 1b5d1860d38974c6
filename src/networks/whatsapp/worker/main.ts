import { AsyncLocalStorage } from 'node:async_hooks'
import { type HttpClients, httpClients } from '../../../net/http/client.ts'
import { NameResolver } from '../../../net/resolve/names.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { FairSemaphore } from '../../../runtime/limits/fair-semaphore.ts'
import { Alarms } from '../../../runtime/timers/alarms.ts'
import { TurnBatch } from '../../../runtime/timers/turn-batch.ts'
import { type FromWorker, libraryMissing, type ToWorker } from '../processes/worker-protocol.ts'
import { limitInflation } from './baileys/bounds/inflation.ts'
import { silenceConsole } from './baileys/silence.ts'
import type { WhatsAppClient } from './client.ts'
import { Served } from './served.ts'
import { Troubles } from './unexpected-errors.ts'

/*
 * A worker: a process that holds linked clients, so that their cryptography stalls no request, and a fault in the library ends the
 * connections of this process and nothing else. The server starts it, and it ends with the server.
 */

silenceConsole()

// The library makes an error for each stanza that it sends, in case that it takes too long: traces would be a tenth of the cost of a text.
Error.stackTraceLimit = 2

/** For which client something runs, so that what fails can be told apart. */
const running = new AsyncLocalStorage<WhatsAppClient>()

/** Parts of the history that are fetched at a time, each of which may take some megabytes of memory; one of each client. */
const historyTurns = new FairSemaphore({ limit: 8, limitPerParty: 1 })

/** For the server. */
const told = new TurnBatch<FromWorker>((messages) => {
  if (process.connected) process.send?.(messages)
})

const troubles = new Troubles()
const served = new Served()

/** A frame that cannot be decrypted, for example: nothing can be read on its connection from then on. */
process.on('unhandledRejection', (error) => {
  tellTrouble('rejected', error)
  void running.getStore()?.doubt()
})

process.on('uncaughtException', (error) => {
  tellTrouble('thrown', error)
  told.flush()
  process.exitCode = 1
  process.disconnect?.()
})

process.on('disconnect', () => process.exit())

// A terminal, or a service manager, sends these to all processes at once. The server ends its workers when it no longer needs them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

limitInflation({
  resumed: () => running.getStore()?.serves(),
  dropped: () => running.getStore()?.dropped('stanza'),
})
const [library, { WhatsAppClient: Client }, { verifySignatures }] = await loadLibrary()
verifySignatures()
const clients = new Map<number, WhatsAppClient>()
let names: NameResolver | undefined
let http: HttpClients | undefined
/** Those that are not taken yet. */
const orders: ToWorker[] = []

// Orders that came meanwhile have waited for this listener.
process.on('message', (messages: readonly ToWorker[]) => {
  if (orders.push(...messages) === messages.length) takeSome()
})

/** Takes the next orders of one client: another is served only when what they set off has run, so that it can be told whose it was. */
function takeSome(): void {
  const [first] = orders
  while (orders[0] && clientIn(orders[0]) === (first && clientIn(first))) take(orders.shift() as ToWorker)
  if (orders.length > 0) setImmediate(takeSome)
}

function clientIn(message: ToWorker): number | null {
  return message.kind === 'beat' ? null : message.client
}

function take(message: ToWorker): void {
  if (message.kind === 'beat') {
    tell({ kind: 'beat' })
    endIfSilent(message.every)
    return
  }
  served.serve(message.client)
  const client = clients.get(message.client)
  if (message.kind === 'open') open(message.client, message.options)
  else if (message.kind === 'close') client?.close()
  else if (client) running.run(client, () => client.line.take(message.message))
}

/** Beats that the server may miss: fewer than after which another node counts it as gone. */
const missedBeats = 10
let silence: NodeJS.Timeout | undefined

/** A server that stands still for long may have lost its accounts to another node by then, so their connections end. `every` in milliseconds. */
function endIfSilent(every: number): void {
  clearTimeout(silence)
  // If this process stood still itself, the beats that wait are heard first.
  silence = setTimeout(() => {
    const over = silence
    setImmediate(() => over === silence && process.exit())
  }, every * missedBeats)
}

/** The library is optional. If it is not installed, the process ends, and says why by its exit code. */
async function loadLibrary() {
  try {
    return await Promise.all([import('baileys'), import('./client.ts'), import('./baileys/signatures.ts')])
  } catch (error) {
    if (isPackageMissing(error)) process.exit(libraryMissing)
    throw error
  }
}

/** True if a package is not installed: the library, or one that it uses. */
function isPackageMissing(error: unknown): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' && message.startsWith('Cannot find package')
}

function open(number: number, options: Extract<ToWorker, { kind: 'open' }>['options']): void {
  // Every client has the one that the operator set.
  if (options.rootKey !== null) library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(options.rootKey, 'hex')
  names ??= new NameResolver({ servers: options.nameServers })
  http ??= httpClients({
    clock: systemClock,
    alarms: new Alarms(systemClock),
    names,
    allowedBlocks: options.allowedCidrs,
    userAgent: 'Posthorn',
  })
  const client = new Client(options, {
    names: names.of(`${number}`),
    http: http.of(`${number}`),
    inTurn: (work, signal) => historyTurns.run(`${number}`, work, signal),
    send: (message) => tell({ kind: 'line', client: number, message }),
    tell: (event) => tell({ kind: 'event', client: number, event }),
    serves: () => served.serve(number),
    closed: () => {
      clients.delete(number)
      tell({ kind: 'closed', client: number })
    },
  })
  clients.set(number, client)
  void running.run(client, () => client.open())
}

function tell(message: FromWorker): void {
  told.add(message)
}

function tellTrouble(what: 'rejected' | 'thrown', error: unknown): void {
  const trouble = troubles.take(running.getStore() ?? troubles, what, error)
  if (trouble) tell(trouble)
}

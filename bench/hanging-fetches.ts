import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Bench, type Figure, median, milliseconds, quantile, type Row } from './figure.ts'
import { sendTexts, warmUp } from './load.ts'
import {
  countMessages,
  createOrganization,
  type Posthorn,
  sendingTimes,
  startPosthorn,
  total,
  untilMetric,
} from './posthorn.ts'

const fetches = 10_000
const rounds = 6
const seconds = 4
const queueDepth = 'posthorn_queue_depth'

/**
 * Texts of one organization beside ten thousand files that another one wants fetched from an address that takes connections
 * and never answers: the same load on a server with them and on one without, in turns.
 */
export const hangingFetches: Figure = {
  name: 'hanging-fetches',
  async measure(bench) {
    const hanging = await Hanging.listen()
    const environment = { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8' }
    const [without, beside] = await Promise.all(
      ['without-fetches', 'with-fetches'].map((name) => startPosthorn(join(bench.folder, name), environment)),
    )
    try {
      if (!without || !beside) throw new Error('a server is missing')
      for (const posthorn of [without, beside]) {
        await posthorn.createInstances('running')
        await warmUp(posthorn)
      }
      await queueFetches(beside, hanging.url)
      await hanging.isAsked()
      bench.note(`${fetches} fetches are queued`)
      const pairs = await measurePairs(bench, without, beside)
      confirmSent(without, 0)
      confirmSent(beside, fetches)
      return rowsOf(pairs)
    } finally {
      await Promise.all([without?.end(), beside?.end()])
      hanging.end()
    }
  },
}

/** A server that takes every connection, and says nothing on it. */
class Hanging {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket))
      socket.resume()
    })
  }

  static async listen(): Promise<Hanging> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Hanging(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/file.pdf`
  }

  /** Resolves once a request is waiting. */
  async isAsked(): Promise<void> {
    if (this.#sockets.size === 0) await once(this.#server, 'connection')
  }

  end(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Has another organization ask for the fetches, each for a recipient of its own. */
async function queueFetches(posthorn: Posthorn, url: string): Promise<void> {
  const key = await createOrganization(posthorn, 'other')
  await posthorn.post('/v1/instances', { name: 'files', network: 'sandbox' }, 201, key)
  let next = 0
  const queue = async () => {
    while (next < fetches) {
      const to = `f${next++}@accepts.sandbox`
      await posthorn.post('/v1/messages/media', { instance: 'files', to, kind: 'document', url }, 202, key)
    }
  }
  await Promise.all(Array.from({ length: 64 }, queue))
}

/** The 99th percentiles of one round, in milliseconds: to the answer, and from acceptance to `sent`. */
interface Latencies {
  readonly answered: number
  readonly sent: number
}

interface Pair {
  readonly without: Latencies
  readonly beside: Latencies
}

async function measurePairs(bench: Bench, without: Posthorn, beside: Posthorn): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let round = 1; round <= rounds; round++) {
    const pair = { without: await latenciesOf(without, 0), beside: await latenciesOf(beside, fetches) }
    pairs.push(pair)
    const shown = ({ answered, sent }: Latencies) => `${milliseconds(answered)} and ${milliseconds(sent)}`
    bench.note(`round ${round}: ${shown(pair.beside)} beside ${shown(pair.without)} without fetches`)
  }
  return pairs
}

/** `waiting` messages stay in the queue. */
async function latenciesOf(posthorn: Posthorn, waiting: number): Promise<Latencies> {
  const since = Date.now()
  const { p99 } = await sendTexts({ ...posthorn, seconds })
  await untilMetric(posthorn, queueDepth, waiting)
  return { answered: p99, sent: quantile(sendingTimes(posthorn.data, since), 0.99) }
}

/** Throws if a text was not sent, or a fetch came to an end. */
function confirmSent({ data }: Posthorn, waiting: number): void {
  const counts = countMessages(data)
  const sent = counts.get('sent') ?? 0
  if (sent !== total(counts) - waiting || (counts.get('queued') ?? 0) !== waiting)
    throw new Error(`not every text was sent, or not only texts: ${JSON.stringify([...counts])}`)
}

function rowsOf(pairs: readonly Pair[]): Row[] {
  const row = (figure: string, which: keyof Latencies): Row => {
    const ratio = median(pairs.map(({ beside, without }) => beside[which] / without[which]))
    return {
      figure,
      measured: milliseconds(median(pairs.map(({ beside }) => beside[which]))),
      baseline: milliseconds(median(pairs.map(({ without }) => without[which]))),
      ratio: ratio.toFixed(3),
      goal: '≤ 2',
      reached: ratio <= 2,
    }
  }
  return [
    row("texts beside another's 10,000 hanging fetches, response time, p99", 'answered'),
    row('… accepted → sent, sandbox, p99', 'sent'),
  ]
}

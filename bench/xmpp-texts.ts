import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { confirmCount } from './accept.ts'
import { type Ejabberd, hasEjabberd, startEjabberd } from './ejabberd.ts'
import { type Bench, type Figure, median, type Row, rateRow } from './figure.ts'
import { instanceNames, type Load, type LoadReport, sendTexts, sendToEjabberd } from './load.ts'
import { countMessages, type Posthorn, startPosthorn, untilMetric } from './posthorn.ts'
import { type ServerProcess, startServer } from './process.ts'

const recipients = 64
const rounds = 3
/** Enough that the code on either side is compiled. */
const warmUpTexts = 5_000
const password = 'a password'
/** Milliseconds within which everything sent in a round must be settled. */
const settledWithin = 300_000

/** The order to the process of the recipients. */
export interface ReceiversOrder {
  readonly service: string
  readonly domain: string
  readonly usernames: readonly string[]
  readonly password: string
}

interface Part {
  readonly figure: string
  readonly recipients: number
  readonly instances: readonly string[]
  /** Texts that either side sends in each round. */
  readonly texts: { readonly ejabberd: number; readonly posthorn: number }
  readonly goal: number
}

const parts: readonly [Part, Part] = [
  {
    figure: 'HTTP → XMPP, settled, 64 recipients',
    recipients,
    instances: instanceNames,
    texts: { ejabberd: 40_000, posthorn: 20_000 },
    goal: 0.75,
  },
  {
    figure: '… one recipient, from one instance',
    recipients: 1,
    instances: instanceNames.slice(0, 1),
    texts: { ejabberd: 40_000, posthorn: 5_000 },
    goal: 0.25,
  },
]

/** Texts over HTTP to XMPP clients: through Posthorn until they are settled, in turns with ejabberd's own HTTP API. */
export const xmppTexts: Figure = {
  name: 'xmpp-texts',
  async measure(bench) {
    if (!hasEjabberd) {
      bench.note('skipped: ejabberd is not installed (Debian package “ejabberd”)')
      return parts.map(({ figure }) => ({ figure, measured: 'skipped: ejabberd is not installed' }))
    }
    const ejabberd = await startEjabberd()
    const data = join(bench.folder, 'xmpp-texts')
    const environment = {
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
      // ejabberd confirms every text, and these confirmations are not what is to be limited.
      POSTHORN_CONNECTION_STANZA_RATE: 'off',
      POSTHORN_CONNECTION_BYTE_RATE: 'off',
    }
    const posthorn = await startPosthorn(data, environment)
    const receivers = await startReceivers(ejabberd)
    try {
      await connect(posthorn, ejabberd)
      const sides: Sides = { posthorn, ejabberd, receivers }
      const rows: Row[] = []
      await sendThroughEjabberd(sides, parts[0], warmUpTexts)
      await sendThroughPosthorn(sides, parts[0], warmUpTexts)
      for (const part of parts) rows.push(await measurePart(bench, sides, part))
      return rows
    } finally {
      await Promise.all([posthorn.end(), receivers.end()])
      await ejabberd.remove()
    }
  },
}

interface Sides {
  readonly posthorn: Posthorn
  readonly ejabberd: Ejabberd
  readonly receivers: ServerProcess
}

async function startReceivers(ejabberd: Ejabberd): Promise<ServerProcess> {
  const usernames = Array.from({ length: recipients }, (_, index) => `r${index}`)
  for (const name of usernames) await ejabberd.createUser(name, password)
  const { domain, port } = ejabberd
  const order: ReceiversOrder = { service: `xmpp://127.0.0.1:${port}`, domain, usernames, password }
  return startServer('./xmpp-receivers.ts', (port) => ({
    RECEIVERS_PORT: String(port),
    RECEIVERS: JSON.stringify(order),
  }))
}

async function connect(posthorn: Posthorn, { domain, port, createUser }: Ejabberd): Promise<void> {
  for (const name of instanceNames) {
    await createUser(name, password)
    const settings = {
      address: `${name}@${domain}`,
      service: `xmpp://127.0.0.1:${port}`,
      allow_plaintext: true,
      // As good as none: it may be no larger.
      pacing: { messages: 100_000, seconds: 1 },
    }
    await posthorn.post('/v1/instances', { name, network: 'xmpp', settings, credentials: { password } }, 201)
  }
  await untilMetric(posthorn, 'posthorn_instances{status="connected"}', instanceNames.length)
}

async function measurePart({ note }: Bench, sides: Sides, part: Part): Promise<Row> {
  const measured: { posthorn: number; ejabberd: number }[] = []
  for (let round = 1; round <= rounds; round++) {
    const ejabberd = await sendThroughEjabberd(sides, part, part.texts.ejabberd)
    const posthorn = await sendThroughPosthorn(sides, part, part.texts.posthorn)
    measured.push({ posthorn, ejabberd })
    note(`${part.figure}, round ${round}: ${Math.round(posthorn)}/s of ${Math.round(ejabberd)}/s`)
  }
  const of = (pick: (pair: (typeof measured)[number]) => number) => median(measured.map(pick))
  return rateRow(
    part.figure,
    of(({ posthorn }) => posthorn),
    of(({ ejabberd }) => ejabberd),
    of(({ posthorn, ejabberd }) => posthorn / ejabberd),
    part.goal,
  )
}

function loadOf({ ejabberd: { domain } }: Sides, { recipients, instances }: Part, amount: number) {
  return { domain, recipients, instances, amount, seconds: 0 } satisfies Partial<Load>
}

/** Returns the texts per second that it answers; it answers when it has passed them on, and keeps nothing. */
async function sendThroughEjabberd(sides: Sides, part: Part, amount: number): Promise<number> {
  const target = { url: sides.ejabberd.url, key: '' }
  const load = await sendToEjabberd({ ...target, ...loadOf(sides, part, amount) })
  await untilArrived(sides.receivers, load)
  return load.perSecond
}

/** Returns the texts per second that are settled, from the first request until the queue is empty. */
async function sendThroughPosthorn(sides: Sides, part: Part, amount: number): Promise<number> {
  const { posthorn, receivers } = sides
  const sentBefore = countMessages(posthorn.data).get('sent') ?? 0
  const load = await sendTexts({ ...posthorn, ...loadOf(sides, part, amount) })
  await untilMetric(posthorn, 'posthorn_queue_depth', 0, settledWithin)
  const took = Date.now() - load.begunAt
  const sent = (countMessages(posthorn.data).get('sent') ?? 0) - sentBefore
  confirmCount(sent, [load])
  await untilArrived(receivers, load)
  return (sent * 1_000) / took
}

/** Waits until the recipients have every text, and each of them once; throws if they do not come. */
async function untilArrived(receivers: ServerProcess, { accepted }: LoadReport): Promise<void> {
  const ask = async (path: string) =>
    (await (await fetch(`${receivers.url}${path}`)).json()) as { count: number; distinct: number }
  const deadline = performance.now() + settledWithin
  while ((await ask('/readyz')).count < accepted && performance.now() < deadline) await wait(50)
  const { count, distinct } = await ask('/report')
  if (count !== accepted || distinct !== accepted)
    throw new Error(`of ${accepted} texts ${distinct} arrived, ${count} times in all`)
}

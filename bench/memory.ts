import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Prosody, prosody, startProsody } from '../test/kit/networks/xmpp/prosody.ts'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { type Bench, type Figure, megabytes, type Row } from './figure.ts'
import { startPosthorn, untilMetric } from './posthorn.ts'
import { fillStore } from './prepare-store.ts'

const sandboxInstances = 10_000
const xmppInstances = 2_000
/** Milliseconds that a process is left alone before it is measured. */
const quiet = 5_000
/** … and after it connected thousands of instances: V8 collects what that left behind some seconds later. */
const longQuiet = 20_000
const connectedWithin = 600_000
const connected = 'posthorn_instances{status="connected"}'

/** Resident memory after the start, and what each connected instance adds to it, of the sandbox and of XMPP. */
export const memory: Figure = {
  name: 'memory',
  async measure(bench) {
    const data = join(bench.folder, 'memory-empty')
    // The very first start on a machine also compiles everything; what is looked at is every start after it.
    await (await startPosthorn(data)).end()
    const empty = await startPosthorn(data)
    await wait(quiet)
    const afterStart = residentMemory(empty.pid)
    await empty.end()
    return [
      {
        figure: 'resident memory after the start',
        measured: megabytes(afterStart),
        goal: '≤ 110 MB',
        reached: afterStart <= 110e6,
      },
      await ofSandbox(bench, afterStart),
      await ofXmpp(bench, afterStart),
    ]
  },
}

async function ofSandbox(bench: Bench, afterStart: number): Promise<Row> {
  const data = join(bench.folder, 'memory-sandbox')
  await fillStore(data, { instances: sandboxInstances, messages: 0 })
  const connected = await memoryConnected(bench, data, sandboxInstances, { POSTHORN_CONNECT_RATE: 'off' })
  return row('memory of each connected sandbox instance', connected, afterStart, sandboxInstances, 10e3)
}

/** Without encryption, so that what TLS keeps for a connection is not in it. */
async function ofXmpp(bench: Bench, afterStart: number): Promise<Row> {
  const figure = 'memory of each connected XMPP instance, without TLS'
  if (!prosody.available) {
    bench.note(`skipped: ${prosody.reason}`)
    return { figure, measured: 'skipped: Prosody is not installed' }
  }
  const server = await startProsody({ starttls: 'off' })
  const data = join(bench.folder, 'memory-xmpp')
  // Prosody has one thread, and lets no more connections wait than a few hundred.
  const environment = { POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8', POSTHORN_CONNECT_RATE: '100/1' }
  try {
    await createXmppInstances(data, server, environment)
    return row(
      figure,
      await memoryConnected(bench, data, xmppInstances, environment),
      afterStart,
      xmppInstances,
      40e3,
    )
  } finally {
    await server.remove()
  }
}

/** Creates the instances and their accounts in a server of its own, so that what it took is not in what is measured. */
async function createXmppInstances(
  data: string,
  server: Prosody,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const posthorn = await startPosthorn(data, environment)
  const service = `xmpp://127.0.0.1:${server.port}`
  try {
    for (let number = 0; number < xmppInstances; number++) {
      const name = `xmpp-${number}`
      const settings = { address: server.address(name), service, allow_plaintext: true, register: true }
      await posthorn.post('/v1/instances', { name, network: 'xmpp', settings }, 201)
    }
    await untilMetric(posthorn, connected, xmppInstances, connectedWithin)
  } finally {
    await posthorn.end()
  }
}

/** The memory of a server that has just connected the instances of a data folder, and then come to rest. */
async function memoryConnected(
  bench: Bench,
  data: string,
  instances: number,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const posthorn = await startPosthorn(data, environment)
  try {
    await untilMetric(posthorn, connected, instances, connectedWithin)
    bench.note(`${instances} instances connected: ${megabytes(residentMemory(posthorn.pid))}`)
    await wait(longQuiet)
    return residentMemory(posthorn.pid)
  } finally {
    await posthorn.end()
  }
}

function row(figure: string, connected: number, afterStart: number, instances: number, goal: number): Row {
  const each = (connected - afterStart) / instances
  return {
    figure,
    measured: `${(each / 1e3).toFixed(1)} KB`,
    baseline: `${megabytes(connected)} with ${instances.toLocaleString('en')}`,
    goal: `≤ ${goal / 1e3} KB`,
    reached: each <= goal,
  }
}

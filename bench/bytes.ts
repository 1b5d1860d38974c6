import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { forgetDeliveries, forgetEvents } from '../src/events/retention.ts'
import { openEmbeddedStore } from '../src/gateway/open-store.ts'
import { confirmCount } from './accept.ts'
import type { Figure, Row } from './figure.ts'
import { sendTexts } from './load.ts'
import { countMessages, type Posthorn, startPosthorn, total, untilMetric } from './posthorn.ts'

const texts = 100_000
const deliveredWithin = 60_000

/**
 * Measures the bytes on the disk of a text that was accepted, sent and delivered: in the database file and its write-ahead
 * log, in the file alone, and in the file when the retention of events is over.
 */
export const bytes: Figure = {
  name: 'bytes',
  async measure(bench) {
    const data = join(bench.folder, 'bytes')
    const before = await startPosthorn(data)
    await before.createInstances('running')
    await before.end()
    const atFirst = bytesUsed(data)
    const { onDisk, written } = await deliverTexts(data)
    // A server that ends takes its log into the file and leaves none.
    const inFile = bytesUsed(data)
    await forgetAllEvents(data)
    const kept = bytesUsed(data)
    const each = (count: number) => Math.round(count / texts)
    return [
      row('bytes on disk of a delivered text, log included', each(onDisk - atFirst), 700),
      row('… in the database file alone', each(inFile - atFirst)),
      ...(written === undefined ? [] : [row('… written to the disk on the way', each(written))]),
      row('… that stay when its events are forgotten', each(kept - atFirst), 300),
    ]
  },
}

function row(figure: string, count: number, goal?: number): Row {
  const write = (count: number) => count.toLocaleString('en')
  return {
    figure,
    measured: write(count),
    ...(goal === undefined ? {} : { goal: `≤ ${write(goal)}`, reached: count <= goal }),
  }
}

async function deliverTexts(data: string) {
  const posthorn = await startPosthorn(data)
  try {
    const writtenBefore = bytesWritten(posthorn)
    const load = await sendTexts({ ...posthorn, amount: texts, domain: 'delivers.sandbox', seconds: 0 })
    await untilMetric(posthorn, 'posthorn_queue_depth', 0)
    await untilDelivered(data)
    const written = bytesWritten(posthorn)
    confirmCount(total(countMessages(data)), [load])
    const files = ['posthorn.db', 'posthorn.db-wal'].map((name) => statSync(join(data, name)).size)
    return {
      onDisk: files.reduce((sum, size) => sum + size, 0),
      written: written === undefined ? undefined : written - (writtenBefore ?? 0),
    }
  } finally {
    await posthorn.end()
  }
}

/** Waits for the receipts; throws when they do not come. */
async function untilDelivered(data: string): Promise<void> {
  const deadline = performance.now() + deliveredWithin
  for (;;) {
    const counts = countMessages(data)
    if (counts.get('delivered') === total(counts)) return
    if (performance.now() > deadline)
      throw new Error(`not every text was delivered: ${JSON.stringify([...counts])}`)
    await wait(500)
  }
}

/** Bytes that a process had written to disks as the kernel counts them (proc(5)); undefined if it does not count. */
function bytesWritten({ pid }: Posthorn): number | undefined {
  const file = `/proc/${pid}/io`
  return existsSync(file) ? Number(/^write_bytes: (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1]) : undefined
}

/** The pages of the database file that hold anything. */
function bytesUsed(data: string): number {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  const pragma = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  try {
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  } finally {
    database.close()
  }
}

/** Deletes all events at once, as retention does when their time is over. */
async function forgetAllEvents(data: string): Promise<void> {
  const store = await openEmbeddedStore(data)
  const old = { before: Date.now() + 60_000, limit: 1_000 }
  try {
    let behind: string | null = ''
    while (behind !== null) behind = (await store.transact(forgetEvents, { ...old, after: behind })).next
    let after: number | null = 0
    while (after !== null) after = await store.transact(forgetDeliveries, { ...old, after })
  } finally {
    await store.close()
  }
}

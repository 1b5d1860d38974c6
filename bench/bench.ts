import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accept } from './accept.ts'
import { batch } from './batch.ts'
import { bytes } from './bytes.ts'
import { callbacks } from './callbacks.ts'
import { console } from './console.ts'
import { conversations } from './conversations.ts'
import { feed } from './feed.ts'
import { type Bench, type Figure, type Row, type StoreName, storeNames } from './figure.ts'
import { files } from './files.ts'
import { growth } from './growth.ts'
import { hangingFetches } from './hanging-fetches.ts'
import { idleInstances } from './idle-instances.ts'
import { images } from './images.ts'
import { lines } from './lines.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { neighbours } from './neighbours.ts'
import { nodes } from './nodes.ts'
import { oldMessages } from './old-messages.ts'
import { placement } from './placement.ts'
import { fillStore } from './prepare-store.ts'
import { processorTimes } from './processor-time.ts'
import { retention } from './retention.ts'
import { settle } from './settle.ts'
import { start } from './start.ts'
import { machine, table } from './table.ts'
import { telegramPace } from './telegram-pace.ts'
import { tests } from './tests.ts'
import { uploads } from './uploads.ts'
import { webhooks } from './webhooks.ts'
import { whatsapp } from './whatsapp.ts'
import { whatsappNeighbours } from './whatsapp-neighbours.ts'
import { xmppTexts } from './xmpp-texts.ts'
import { xmppUpload } from './xmpp-upload.ts'

const figures: readonly Figure[] = [
  accept,
  processorTimes,
  batch,
  bytes,
  console,
  images,
  uploads,
  settle,
  start,
  webhooks,
  oldMessages,
  memory,
  idleInstances,
  feed,
  lists,
  conversations,
  hangingFetches,
  neighbours,
  nodes,
  placement,
  growth,
  retention,
  callbacks,
  telegramPace,
  whatsapp,
  whatsappNeighbours,
  xmppTexts,
  xmppUpload,
  lines,
  files,
  tests,
]

/** Measures the named figures, or all; 0 when every goal is reached, 1 when not. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      markdown: { type: 'boolean', default: false },
      only: { type: 'string' },
      store: { type: 'string' },
    },
    allowPositionals: true,
  })
  const strange = positionals.find((name) => !figures.some((figure) => figure.name === name))
  if (strange)
    throw new Error(`there is no figure ${strange}; there are ${figures.map(({ name }) => name).join(', ')}`)
  const store = storeNames.find((name) => name === values.store)
  if (values.store !== undefined && store === undefined)
    throw new Error(`there is no store ${values.store}; there are ${storeNames.join(', ')}`)
  const wanted = figures.filter(({ name, onlyByName }) =>
    positionals.length === 0 ? !onlyByName : positionals.includes(name),
  )
  // The kit starts its processes with their data there, too.
  process.env.TMPDIR = diskFolder()
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'))
  // Also if it is ended by Ctrl-C; the processes that it started end then too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))
  const onMachine = machine()
  const rows = await measure(wanted, folder, { only: values.only, store })
  process.stdout.write(`\n${onMachine}\n\n${table(rows, values.markdown)}\n`)
  return rows.every(({ reached }) => reached !== false) ? 0 : 1
}

interface Parts {
  readonly only: string | undefined
  readonly store: StoreName | undefined
}

async function measure(wanted: readonly Figure[], folder: string, { only, store }: Parts): Promise<Row[]> {
  const begun = performance.now()
  const rows: Row[] = []
  for (const figure of wanted) {
    const note = (text: string) => {
      const seconds = Math.round((performance.now() - begun) / 1000)
      process.stderr.write(`${String(seconds).padStart(4)} s  ${figure.name}: ${text}\n`)
    }
    note('begun')
    const parts = { ...(only === undefined ? {} : { only }), ...(store === undefined ? {} : { store }) }
    rows.push(...(await figure.measure({ ...benchOf(folder, note), ...parts })))
  }
  return rows
}

let largeStore: Promise<string> | undefined

function benchOf(folder: string, note: (text: string) => void): Bench {
  return {
    folder,
    note,
    largeStore() {
      largeStore ??= (async () => {
        note('writing 10,000 instances and 1,000,000 old messages')
        const data = join(folder, 'large')
        await fillStore(data, { instances: 10_000, messages: 1_000_000 })
        note('written')
        return data
      })()
      return largeStore
    },
  }
}

const inMemory = new Set([0x01021994, 0x858458f6])

/** The temporary folder, or the repository if that is kept in memory: a sync must reach a disk. */
function diskFolder(): string {
  return inMemory.has(statfsSync(tmpdir()).type) ? fileURLToPath(new URL('..', import.meta.url)) : tmpdir()
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`)
  // A server that was left running would keep this process alive, and goes with it.
  process.exit(2)
}

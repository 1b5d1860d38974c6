import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { type Figure, megabytes } from './figure.ts'
import { startPosthorn, untilMetric } from './posthorn.ts'
import { fillStore } from './prepare-store.ts'

const instances = 10_000
/** How long a process is left alone before it is looked at. */
const quiet = 5_000
/** … and after it connected ten thousand instances: V8 collects what that left behind some seconds later. */
const longQuiet = 20_000

/** Resident memory after the start, and what each connected instance adds to it. */
export const memory: Figure = {
  name: 'memory',
  async measure(bench) {
    const emptyData = join(bench.folder, 'memory-empty')
    // The very first start on a machine also compiles everything; what is looked at is every start after it.
    await (await startPosthorn(emptyData)).end()
    const empty = await startPosthorn(emptyData)
    await wait(quiet)
    const afterStart = residentMemory(empty.pid)
    await empty.end()

    const data = join(bench.folder, 'memory-instances')
    await fillStore(data, { instances, messages: 0 })
    const full = await startPosthorn(data, { POSTHORN_CONNECT_RATE: 'off' })
    await untilMetric(full, 'posthorn_instances{status="connected"}', instances)
    bench.note(`${instances} instances connected: ${megabytes(residentMemory(full.pid))}`)
    await wait(longQuiet)
    const connected = residentMemory(full.pid)
    await full.end()

    const each = (connected - afterStart) / instances
    return [
      {
        figure: 'resident memory after the start',
        measured: megabytes(afterStart),
        goal: '≤ 130 MB',
        reached: afterStart <= 130e6,
      },
      {
        figure: 'memory of each connected sandbox instance',
        measured: `${(each / 1e3).toFixed(1)} KB`,
        baseline: `${megabytes(connected)} with ${instances.toLocaleString('en')}`,
        goal: '≤ 20 KB',
        reached: each <= 20e3,
      },
    ]
  },
}

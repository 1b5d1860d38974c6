import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { measureHeader, type Report, reportSetting } from './called-files.ts'
import type { Bench, Figure, Row } from './figure.ts'
import { instanceNames, warmUp } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

/**
 * Number of texts that are followed. Functions called for each of them count, and not those that only ran at the same time.
 */
const texts = 20
const goal = 30

/** Measures how many files of `src` one must read to follow a text from its request to the 202. */
export const files: Figure = {
  name: 'files',
  async measure(bench) {
    const { main, threads } = await callsOfText(bench)
    bench.note(`on the main thread: ${main.join(', ')}`)
    bench.note(`on the thread of the store: ${threads.join(', ')}`)
    return [
      {
        figure: 'files from the request of a text to its 202, main thread',
        measured: String(main.length),
        goal: `≤ ${goal}`,
        reached: main.length <= goal,
      },
      {
        figure: '… with those on the threads of the store',
        measured: String(new Set([...main, ...threads]).size),
      },
    ] satisfies Row[]
  },
}

/** The files that every text calls a function of, once the server is warm. */
async function callsOfText({ folder }: Bench): Promise<Report> {
  const file = join(folder, 'called-files.json')
  const posthorn = await startPosthorn(join(folder, 'files'), {
    NODE_OPTIONS: `--import=${new URL('./called-files.ts', import.meta.url)}`,
    [reportSetting]: file,
  })
  try {
    // Nothing is sent, so what is called belongs to accepting alone.
    await posthorn.createInstances('stopped')
    await warmUp(posthorn)
    const reports: Report[] = []
    while (reports.length < texts) reports.push(await followText(posthorn, file))
    const each = (part: keyof Report) =>
      (reports[0]?.[part] ?? []).filter((path) => reports.every((report) => report[part].includes(path)))
    return { main: each('main'), threads: each('threads') }
  } finally {
    await posthorn.end()
  }
}

async function followText({ url, key }: Posthorn, file: string): Promise<Report> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ instance: instanceNames[0], to: 'anna@accepts.sandbox', text: 'Hello' })
  const send = async (order: 'soon' | 'now') => {
    const response = await fetch(`${url}/v1/messages/text`, {
      method: 'POST',
      headers: { ...headers, [measureHeader]: order },
      body,
    })
    if (response.status !== 202)
      throw new Error(`a text was answered ${response.status}: ${await response.text()}`)
    await response.text()
  }
  await send('soon')
  // Work that follows that one is over by then.
  await wait(100)
  await send('now')
  const deadline = performance.now() + 10_000
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error('the server did not tell which files it called')
    await wait(10)
  }
  // Written at once, but perhaps not to its end.
  await wait(10)
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  rmSync(file)
  return report
}

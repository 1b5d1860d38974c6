import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { type Bench, megabytes, type Row } from './figure.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

/** Milliseconds that a server is left alone before its memory is measured. */
const quiet = 5_000
const most = 10e6
/** Calls that the other server gets meanwhile: about as many as a browser makes to open the console. */
const calls = 150

/**
 * Measures the memory that opening the console for the first time adds to an idle server, beside another one that answers as
 * many other calls; and the memory that opening the reference adds.
 */
export async function consoleMemory(browser: Browser, { folder, note }: Bench): Promise<Row[]> {
  note('opening the console of an idle server')
  const opened = await growth(join(folder, 'console-opened'), async ({ url, key }) => {
    const context = await browser.newContext()
    const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
    await context.request.post(`${url}/console/session`, { data: { key }, headers })
    const page = await context.newPage()
    for (const place of ['overview', 'instances', 'messages', 'conversations', 'charts']) {
      await page.goto(`${url}/console#/${place}`)
      await page.locator('main h1').waitFor()
    }
    await context.close()
  })
  const other = await growth(join(folder, 'console-unopened'), async ({ call }) => {
    for (let done = 0; done < calls; done++) await call('GET', '/v1/me', undefined, 200)
  })
  note('opening the reference of an idle server')
  const reference = await growth(join(folder, 'reference-opened'), async ({ url }) => {
    const page = await browser.newPage()
    await page.goto(`${url}/docs`)
    await page.locator('h1').first().waitFor()
    await page.context().close()
  })
  return [
    {
      figure: '… resident memory that opening it adds to an idle server',
      measured: `+${megabytes(opened)}`,
      baseline: `+${megabytes(other)} by ${calls} other calls`,
      goal: `≤ ${most / 1e6} MB`,
      reached: opened <= most,
    },
    { figure: '… that opening the reference under /docs adds', measured: `+${megabytes(reference)}` },
  ]
}

async function growth(data: string, act: (posthorn: Posthorn) => Promise<void>): Promise<number> {
  // The very first start on a machine also compiles everything.
  await (await startPosthorn(data)).end()
  const posthorn = await startPosthorn(data)
  try {
    await wait(quiet)
    const before = residentMemory(posthorn.pid)
    await act(posthorn)
    await wait(quiet)
    return residentMemory(posthorn.pid) - before
  } finally {
    await posthorn.end()
  }
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { root } from '../kit/source-tree.ts'

/* The site as its generator builds it, which takes most of a minute: only `npm run test:long` does it. */

const run = promisify(execFile)
const dist = join(root, 'site/dist')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const site = createServer(({ url = '/' }, response) => {
  const [path = ''] = decodeURIComponent(url).split('?')
  const file = join(dist, path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(file) || statSync(file).isDirectory()) return response.writeHead(404).end()
  const type = types[extname(file)] ?? 'text/plain'
  return response.writeHead(200, { 'content-type': type }).end(readFileSync(file))
})

const isWanted = process.env.POSTHORN_TEST_SITE === '1'

describe('the built site', { skip: isWanted ? needsChromium.skip : 'npm run test:long builds it' }, () => {
  before(
    async () => {
      await run('npm', ['ci', '--prefix', 'site', '--ignore-scripts', '--loglevel=error'], { cwd: root })
      await run('npm', ['run', '--prefix', 'site', 'build'], { cwd: root })
    },
    { timeout: 900_000 },
  )

  test('is found by searching, light and dark, and asks no other host', { timeout: 120_000 }, async (t) => {
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const browser = await startBrowser()
    t.after(async () => {
      await browser.close()
      site.close()
      site.closeAllConnections()
    })
    const grounds: string[] = []
    const foreign: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await (await browser.newContext({ colorScheme })).newPage()
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:')) foreign.push(request.url())
      })
      page.on('pageerror', (error) => foreign.push(error.message))
      await page.goto(`${base}/`, { waitUntil: 'networkidle' })
      grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      await page.keyboard.press('Control+k')
      await page.fill('.VPLocalSearchBox input', 'instance not found')
      await page.locator('.VPLocalSearchBox .result').first().click()
      await page.waitForURL(/\.html/)
    }
    assert.deepEqual(foreign, [])
    assert.equal(new Set(grounds).size, 2)
  })
})

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { startPosthorn } from '../../kit/posthorn.ts'
import { installBuiltClient } from './built-client.ts'

/* The built client in a page of a real browser, under one origin with Posthorn, as behind a proxy. */

/** Sends a text and a file, waits for an event, and reads how many messages there are; returns what went well or wrong, in words. */
const program = `async (key) => {
  const { Posthorn } = await import('/client/index.js')
  const posthorn = new Posthorn({ baseUrl: location.origin, key })
  try {
    const to = { instance: 'trial', to: 'ana@reads.sandbox' }
    const text = await posthorn.messages.sendText({ ...to, text: 'From a page' })
    await posthorn.messages.waitFor(text, 'read')
    await posthorn.messages.sendMedia({ ...to, kind: 'document', file: new File(['a,b'], 'table.csv') })
    for await (const { type } of posthorn.events.follow({ after: 'oldest', types: ['message.read'] })) {
      const messages = await posthorn.messages.list({ limit: 1 }).toArray()
      return [type, ...messages.map(({ kind }) => kind)].join(' ')
    }
  } catch (error) {
    return error.message
  }
}`

test(
  'the client in a browser sends and follows, and refuses a key that may do everything',
  needsChromium,
  async (context) => {
    const { folder, dist } = await installBuiltClient()
    const posthorn = await startPosthorn()
    const browser = await startBrowser()
    context.after(async () => {
      await browser.close()
      await posthorn.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    await posthorn.admin.call(createInstance, {
      body: { name: 'trial', network: 'sandbox' },
      waitSeconds: 20,
    })
    const page = await browser.newPage()
    await page.route(`${posthorn.url}/client/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice('/client/'.length)
      if (name === '')
        return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' })
      return route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(dist, name), 'utf8') })
    })
    await page.goto(`${posthorn.url}/client/`)
    const sender = await posthorn.createKey('default', 'send', { instances: ['trial'] })
    assert.equal(await page.evaluate(`(${program})('${sender.key}')`), 'message.read document text')
    assert.match(
      String(await page.evaluate(`(${program})('${posthorn.adminKey}')`)),
      /each visitor of the page can read it/,
    )
  },
)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { listNodes } from '../../src/contract/operations/node-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { createCheckedClient } from '../kit/http/checked-client.ts'
import { Nodes } from '../kit/nodes/nodes.ts'
import { create } from '../kit/play.ts'
import { type PostgresForTests, startPostgres } from '../kit/postgres.ts'
import type { PosthornProcess } from '../kit/posthorn.ts'

/* The operator sees the nodes that share a database, and drains one before it is stopped. */

const key = `operator-${'z'.repeat(40)}`

describe('nodes in the console', needsChromium, () => {
  let postgres: PostgresForTests
  let browser: Browser | undefined
  let nodes: Nodes | undefined
  let staying: PosthornProcess
  let leaving: PosthornProcess
  /** The ids of both. */
  let stays: string
  let leaves: string

  before(async () => {
    postgres = await startPostgres()
    if (!postgres.available) return
    nodes = Nodes.at(await postgres.server.createDatabase(), {
      POSTHORN_OPERATOR_TOKEN: key,
      // A page takes more of the machine than the nodes of other plays have beside them.
      POSTHORN_NODE_LEASE_MS: '18000',
    })
    leaving = await nodes.start('leaving')
    await create(leaving.admin, 'shop')
    staying = await nodes.start('staying')
    const operator = createCheckedClient({ baseUrl: staying.url, key })
    for (const { id, responded } of (await operator.call(listNodes)).body.data)
      if (responded) stays = id
      else leaves = id
    browser = await startBrowser()
  })

  after(async () => {
    await browser?.close()
    await nodes?.end()
    if (postgres.available) await postgres.server.stop()
  })

  const rowOf = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id })

  for (const way of ways)
    test(`one is drained and stopped, and the last one stays, ${way.name}`, async (t) => {
      if (!browser || !nodes) return t.skip('PostgreSQL cannot run here')
      const window = await visit(browser, staying, { ...way.window, key })
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Nodes')
      const [one, other] = [rowOf(page, leaves), rowOf(page, stays)]
      await other.getByText('Running', { exact: true }).waitFor()
      await hand.press(one.getByRole('button', { name: 'Drain' }))
      const dialog = page.getByRole('dialog')
      await dialog.getByText(leaves).waitFor()
      await hand.press(dialog.getByRole('button', { name: 'Cancel' }))
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await one.getByText('Running', { exact: true }).count(), 1)
      await hand.press(one.getByRole('button', { name: 'Drain' }))
      await hand.press(dialog.getByRole('button', { name: 'Drain' }))
      await one.getByText('Draining', { exact: true }).waitFor()
      await one.getByText('It may be stopped').waitFor()
      await hand.press(other.getByRole('button', { name: 'Drain' }))
      await hand.press(dialog.getByRole('button', { name: 'Drain' }))
      await dialog.getByText('No other node can take the instances.').waitFor()
      await hand.closeDialog()
      assert.equal(await leaving.end('SIGTERM'), 0)
      await one.getByText('Gone', { exact: true }).waitFor()
      leaving = await nodes.start('leaving')
      await one.getByText('Running', { exact: true }).waitFor()
      await hand.rest()
      window.checkFaults([409])
      await window.close()
    })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const)
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async (t) => {
      if (!browser) return t.skip('PostgreSQL cannot run here')
      const { page, ...window } = await visit(browser, staying, { width, colorScheme, key, place: '#/nodes' })
      await rowOf(page, stays).waitFor({ state: 'attached' })
      await checkAccessibility(page)
      await rowOf(page, stays).getByRole('button', { name: 'Drain' }).click()
      await page.getByRole('dialog').waitFor()
      await checkAccessibility(page)
      window.checkFaults()
      await window.close()
    })
})

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { type NewMachine, newMachine, pack, whyNoRegistry } from '../../kit/deploy/npm-package.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'

/* The npm package, installed without its optional packages. */

const skip = await whyNoRegistry()

describe('the npm package, without its optional packages', { timeout: 290_000, skip }, () => {
  const home = freshFolder()
  const folder = join(home, 'small')
  let machine: NewMachine
  before(async () => {
    machine = await newMachine(await pack(join(home, 'packed')), join(home, 'cache'))
    mkdirSync(folder)
    const installed = await machine.run(folder, ['npm', 'install', '--omit=optional', 'posthorn'])
    assert.equal(installed.code, 0, installed.output)
  })
  after(async () => {
    await machine?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('takes at most 90 MB', (t) => {
    const [kilobytes] = execFileSync('du', ['-sk', join(folder, 'node_modules')], { encoding: 'utf8' }).split(
      '\t',
    )
    t.diagnostic(`${(Number(kilobytes) / 1024).toFixed(0)} MB installed without optional packages`)
    assert.ok(Number(kilobytes) <= 90 * 1024, `${kilobytes} kB`)
  })

  test('a setting that needs one is refused, with the command that brings it', async () => {
    const settings = { POSTHORN_DATABASE_URL: 'postgres://a:b@127.0.0.1/c', POSTHORN_MEDIA_STORE: 's3' }
    for (const words of [['serve'], ['doctor'], ['queue', 'list']]) {
      const { code, output } = await machine.run(folder, ['npx', 'posthorn', ...words], settings)
      assert.equal(code, 1)
      assert.match(
        output,
        /DATABASE_URL needs the package pg, which is not installed; run `npm install pg@\^8[.\d]*`/,
      )
      assert.match(
        output,
        /s3 needs the package @aws-sdk\/client-s3, .*; run `npm install @aws-sdk\/client-s3@\^3[.\d]*`/,
      )
    }
  })

  test('a broker that needs one is refused, with the command that brings all that it needs', async () => {
    for (const [url, said] of [
      ['amqp://127.0.0.1', /AMQP needs the package amqplib, .*; run `npm install amqplib@\^2[.\d]*`/],
      [
        'nats://127.0.0.1',
        /run `npm install @nats-io\/transport-node@\^3[.\d]* @nats-io\/jetstream@\^3[.\d]*`/,
      ],
    ] as const) {
      const words = ['npx', 'posthorn', 'events', 'forward', '--to', url, '--cursor', 'cursor']
      const { code, output } = await machine.run(folder, words)
      assert.equal(code, 1)
      assert.match(output, said)
    }
  })

  test('without the library for WhatsApp, all else serves, and the log has the command that brings it', async () => {
    const program = join(folder, 'node_modules/posthorn/dist/main.js')
    const posthorn = await spawnPosthorn(join(folder, 'data'), {}, program)
    const body = { name: 'shop', network: 'whatsapp' }
    const { body: shop } = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(shop.reason?.code, 'library_missing')
    assert.match(
      posthorn.output(),
      /the network whatsapp needs the package baileys, .*; run `npm install baileys@7[\w.-]*`/,
    )
    assert.equal(await posthorn.end('SIGTERM'), 0)
  })

  test('an older Node is refused, with what to do', async () => {
    const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.4.1"}})'
    for (const name of ['cli/posthorn.js', 'main.js']) {
      const program = join(folder, 'node_modules/posthorn/dist', name)
      const { status, stderr } = spawnSync(process.execPath, ['--import', old, program], { encoding: 'utf8' })
      assert.equal(status, 1)
      assert.match(stderr, /this is Node 22\.4\.1, which is too old; install Node 24\.15 or later/)
    }
  })
})

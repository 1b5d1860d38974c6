import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../kit/play.ts'
import { freshFolder } from '../kit/posthorn.ts'
import { runCommand } from '../kit/processes/run-command.ts'
import { Stage } from './forwarder.ts'
import { needsNats, startNats } from './nats-server.ts'

/* The command that forwards events, when it is called wrongly or something is not there. */

const cwd = freshFolder()
const run = (...words: string[]) =>
  runCommand(['events', 'forward', '--cursor', join(cwd, 'cursor'), ...words], { environment: {}, cwd })

describe('events forward, called wrongly', () => {
  for (const [name, words, said] of [
    ['without a broker', [], /name the broker with --to URL/],
    ['with a broker of another kind', ['--to', 'kafka://127.0.0.1'], /begins with amqp:\/\//],
    ['with what is no URL', ['--to', 'rabbit'], /cannot be read/],
    ['with a password that others can see', ['--to', 'amqp://a:secret@127.0.0.1'], /--to-file/],
    ['with a token that others can see', ['--to', 'nats://secret@127.0.0.1'], /--to-file/],
    ['with a name that is none', ['--to', 'nats://127.0.0.1', '--name', 'a b'], /--name is made of/],
  ] as const)
    test(name, async () => {
      const { code, err } = await run(...words)
      assert.equal(code, 2, err)
      assert.match(err, said)
      assert.ok(!err.includes('secret'))
    })

  test('with a file that is not there', async () => {
    const { code, err } = await run('--to-file', join(cwd, 'nowhere'))
    assert.equal(code, 1)
    assert.match(err, /it must hold the URL of the broker/)
  })
})

describe('events forward', needsNats, () => {
  let stage: Stage

  before(async () => {
    stage = await Stage.open()
  })

  after(() => stage?.close())

  test('waits for a broker that is not there, and ends when it is told to', async () => {
    stage.forward(['--to', 'nats://127.0.0.1:1', '--from-oldest'])
    await eventually(
      'the sentence',
      async () => stage.said,
      (said) => /does not take events/.test(said),
    )
    assert.equal(await stage.endForwarder('SIGTERM'), 0)
    assert.ok(!stage.hasCursor())
  })

  test('says what is missing at a broker that keeps no streams', async () => {
    const broker = await startNats({ jetStream: false })
    try {
      stage.said = ''
      stage.forward(['--to', broker.url, '--from-oldest'])
      await eventually(
        'the sentence',
        async () => stage.said,
        (said) => /jetstream/i.test(said),
      )
      assert.equal(await stage.endForwarder('SIGTERM'), 0)
    } finally {
      await broker.remove()
    }
  })

  test('does not use the cursor of another target, nor a file that is none', async () => {
    writeFileSync(stage.cursor, '{"to":"amqp://elsewhere (posthorn.events)","cursor":"IjRqdzhyMGttLjQzIg"}')
    stage.said = ''
    stage.forward(['--to', 'nats://127.0.0.1:1'])
    assert.equal(await stage.forwarderEnds(), 1)
    assert.match(stage.said, /is the cursor of amqp:\/\/elsewhere/)
    writeFileSync(stage.cursor, 'something else')
    stage.forward(['--to', 'nats://127.0.0.1:1'])
    assert.equal(await stage.forwarderEnds(), 1)
    assert.match(stage.said, /is not a cursor of/)
  })
})

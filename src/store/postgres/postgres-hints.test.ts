import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../../test/kit/play.ts'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { silentLog } from '../../runtime/log.ts'
import { HintChannel } from './postgres-hints.ts'

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

test('a process that has just begun is heard as soon as the channel works', async (t) => {
  if (!postgres.available) return t.skip(postgres.reason)
  const url = await postgres.server.createDatabase()
  const heard: string[] = []
  const open = (sender: string) => {
    const channel = new HintChannel({ url, sender, log: silentLog, hear: (hint) => void heard.push(hint) })
    t.after(() => channel.end())
    return channel
  }
  const works = (channel: HintChannel) =>
    eventually(
      'a channel that works',
      async () => channel.works,
      (is) => is,
    )
  await works(open('first'))
  const begun = open('second')
  begun.send('due inst_a')
  assert.equal(begun.works, false)
  await eventually(
    'a hint that is heard once',
    async () => heard,
    ([hint]) => hint === 'due inst_a',
  )
  await works(begun)
  assert.deepEqual(heard, ['due inst_a'])
})

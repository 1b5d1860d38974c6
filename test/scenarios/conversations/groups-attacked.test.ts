import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  createGroup,
  getGroup,
  listGroups,
  updateGroup,
} from '../../../src/contract/operations/conversations/group-operations.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually, readTranscript } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const params = { name: 'trial' }
const made = (lines: readonly TranscriptLine[], subject: string) =>
  lines.filter(
    ({ kind, content }) => kind === 'group' && JSON.stringify(content).includes(`"subject":"${subject}"`),
  )

const make = (
  { admin }: PosthornProcess,
  { subject, key, members = ['ana@delivers.sandbox'] }: { subject: string; key: string; members?: string[] },
) => admin.call(createGroup, { params, body: { subject, members }, idempotencyKey: key })

describe('a server that is killed while groups are made', { timeout: 200_000 }, () => {
  const data = freshFolder()
  const transcript = join(data, 'transcript.jsonl')
  let server: PosthornProcess
  const start = () => spawnPosthorn(join(data, 'data'), { POSTHORN_SANDBOX_TRANSCRIPT: transcript })

  before(async () => {
    server = await start()
    await create(server.admin, 'trial')
  })
  after(async () => {
    await server.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })

  test('never makes one twice, and says what it does not know', async () => {
    // The sandbox makes it, and its answer never comes.
    const late = make(server, { subject: 'Killed', key: 'killed', members: ['ana@stuck.sandbox'] }).catch(
      () => null,
    )
    const settled = make(server, { subject: 'Settled', key: 'settled' })
    // One thing at a time: the second waits for the first, and is turned away.
    assert.equal((await problemOf(settled)).code, 'group_requests_waiting')
    await server.end('SIGKILL')
    await late
    server = await start()
    await eventually(
      'the instance to be connected',
      () => server.admin.call(listGroups, { params }).catch(() => null),
      (groups) => groups !== null,
    )
    const again = await problemOf(
      make(server, { subject: 'Killed', key: 'killed', members: ['ana@stuck.sandbox'] }),
    )
    assert.equal(again.code, 'idempotency_in_progress')
    const { body: first } = await make(server, { subject: 'Settled', key: 'settled' })
    await server.end('SIGKILL')
    server = await start()
    const { body: repeated, headers } = await make(server, { subject: 'Settled', key: 'settled' })
    assert.deepEqual(repeated, first)
    assert.equal(headers['idempotency-replayed'], 'true')
    assert.equal(made(readTranscript(transcript), 'Settled').length, 1)
  })
})

describe('groups on two nodes', { timeout: 200_000 }, () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  test('are made through the node that runs the instance, once, and by thirty callers in turn', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    await create(first.admin, 'trial')
    const second = await nodes.start('second')
    const { body: group } = await make(second, { subject: 'Across', key: 'across' })
    assert.equal((await make(first, { subject: 'Across', key: 'across' })).body.address, group.address)
    const at = { params: { ...params, address: group.address } }
    assert.equal((await second.admin.call(getGroup, at)).body.members?.length, 2)
    const missing = second.admin.call(getGroup, { params: { ...params, address: 'x@group-gone.sandbox' } })
    assert.equal((await problemOf(missing)).code, 'group_not_found')
    const callers = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) =>
        make(at % 2 ? first : second, { subject: 'Thirty', key: 'thirty' }),
      ),
    )
    assert.equal(made(nodes.arrived(), 'Thirty').length, 1)
    assert.ok(callers.some(({ status }) => status === 'fulfilled'))
    const rename = (by: PosthornProcess, subject: string) =>
      by.admin.call(updateGroup, { ...at, body: { subject } }).then(
        () => 'done',
        ({ code }: { code: string }) => code,
      )
    const renamed = await Promise.all(
      Array.from({ length: 30 }, (_, at) => rename(at % 2 ? first : second, `Name ${at}`)),
    )
    const done = renamed.filter((one) => one === 'done').length
    assert.ok(done >= 1, String(renamed))
    assert.ok(
      renamed.every((one) => ['done', 'group_requests_waiting', 'too_many_group_changes'].includes(one)),
    )

    // A node that stands still may have done it.
    process.kill(first.pid, 'SIGSTOP')
    const silent = await problemOf(second.admin.call(updateGroup, { ...at, body: { subject: 'Silent' } }))
    assert.ok(
      ['outcome_unknown', 'instance_unreachable', 'store_unavailable'].includes(silent.code),
      silent.code,
    )
    process.kill(first.pid, 'SIGCONT')
  })
})

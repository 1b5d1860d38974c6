import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { Node } from '../../../src/contract/operations/node-operations.ts'
import { Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually } from '../../kit/play.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { freshFolder, ofThisRun, spawnPosthorn } from '../../kit/posthorn.ts'

/* An operator at a terminal, who needs no token, sees the nodes and drains one. */

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** Milliseconds after which a node is taken over: more than elsewhere, because commands do not watch how it beats. */
const lease = '6000'

/** Returns how `posthorn` is run with these settings, to its end. */
function commandWith(settings: Readonly<Record<string, string>>) {
  const run = async (words: string) => {
    const child = spawn(process.execPath, [entry, ...words.split(' ')], {
      env: { ...ofThisRun(), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      said.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.err += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, ...said }
  }
  const list = async (): Promise<Node[]> => {
    const { code, out, err } = await run('nodes list --json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const refused = async (words: string, sentence: RegExp) => {
    const { code, out, err } = await run(words)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, sentence)
  }
  return { run, list, refused }
}

test('the node of a data folder is listed, and cannot be drained without another', async (t) => {
  const data = freshFolder()
  const posthorn = await spawnPosthorn(data)
  t.after(async () => {
    await posthorn.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  const { run, list, refused } = commandWith({ POSTHORN_DATA: data })
  const [node = assert.fail(), ...others] = await list()
  assert.deepEqual([node.status, others], ['running', []])
  const titles = /^ID +STATUS +INSTANCES +KEEPS HOUSE +DELIVERS PARTS +SEEN +VERSION\n/
  const { out } = await run('nodes list')
  assert.match(out, titles)
  assert.match(out, new RegExp(`\\n${node.id} +running +0 +yes +64 +\\S+ \\S+ UTC +\\S+\\n$`))
  await refused(`nodes drain ${node.id}`, /no other node can take its instances/)
  await refused(`nodes drain node_${'0'.repeat(26)}`, /there is no node with that id/)
})

describe('two nodes on one database', { skip: postgres.available ? false : postgres.reason }, () => {
  test('one is drained until it may be stopped; the other, once it is killed, is silent', async (t) => {
    if (!postgres.available) return
    const nodes = Nodes.at(await postgres.server.createDatabase(), { POSTHORN_NODE_LEASE_MS: lease })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    await create(first.admin, 'trial')
    const { run, list, refused } = commandWith({
      POSTHORN_DATABASE_URL: nodes.url,
      POSTHORN_NODE_LEASE_MS: lease,
    })
    const drained = (await list())[0]?.id ?? assert.fail()
    const second = await nodes.start('second')
    const other = (await list()).find(({ id }) => id !== drained)?.id ?? assert.fail()

    const { code, out, err } = await run(`nodes drain ${drained}`)
    assert.deepEqual([code, out], [0, `node ${drained} has no instances; it may be stopped\n`], err)
    const found = (await list()).map(({ id, status, instances }) => [id, status, instances])
    assert.deepEqual(new Set(found.map(String)), new Set([`${drained},draining,0`, `${other},running,1`]))
    await refused(`nodes drain ${other}`, /no other node can take its instances/)
    assert.equal(await first.end('SIGTERM'), 0)
    const statusOf = async (node: string) => (await list()).find(({ id }) => id === node)?.status
    assert.equal(await statusOf(drained), 'gone')

    // No node is left that would declare it gone.
    await second.end('SIGKILL')
    await eventually(
      'it to be silent',
      () => statusOf(other),
      (status) => status === 'silent',
    )
  })
})

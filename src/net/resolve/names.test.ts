import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { nameServer, namesOf } from '../../../test/kit/far-ends/fetching.ts'
import type { NameAnswer, RecordType } from '../../../test/kit/far-ends/name-server.ts'
import { SystemFiles } from '../../../test/kit/far-ends/system-files.ts'
import { NetFailure } from '../failure.ts'
import { nameFailure } from './name-failure.ts'
import { NameResolver } from './names.ts'

const never = new AbortController().signal
const question = { signal: never }

/** Look-ups on a machine with these files, whose name server knows the A records of these names. */
async function namesWith(
  t: TestContext,
  known: Readonly<Record<string, NameAnswer>>,
  files: { hosts?: string; resolver?: string } = {},
) {
  const server = await nameServer(t, (name, type) => {
    const answer = known[name] ?? 'unknown'
    return type === 'A' || typeof answer === 'string' ? answer : []
  })
  const system = new SystemFiles(t, files)
  const names = new NameResolver({ servers: [server.address], ...system })
  return { server, system, names, of: names.of('org') }
}

/** Returns the failure of a look-up. */
async function failureOf(lookUp: Promise<unknown>): Promise<string> {
  const error = await lookUp.then(
    () => assert.fail('it was found'),
    (caught: Error) => caught,
  )
  assert.ok(error instanceof NetFailure, `${error}`)
  const { reason, permanent, message } = error
  if (reason === 'unreachable') return permanent ? 'unknown' : 'fault'
  return message.startsWith('this organization already has') ? 'busy' : reason
}

test('an address is its own, in whatever spelling, and nobody is asked', async (t) => {
  const { of, server } = await namesWith(t, {})
  for (const [host, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%lo', 'fe80::1%lo'],
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
  ] as const) {
    assert.deepEqual(await of.addresses(host, question), [address])
  }
  assert.deepEqual(server.asked, [])
})

test('this machine is known without anybody who knows it', async (t) => {
  const { of, server, system } = await namesWith(t, { localhost: ['192.0.2.1'] })
  for (const host of ['localhost', 'LOCALHOST.', 'app.localhost'])
    assert.deepEqual(await of.addresses(host, question), ['127.0.0.1', '::1'])
  system.writeHosts('127.0.0.2 localhost')
  assert.deepEqual(await of.addresses('localhost', question), ['127.0.0.2'])
  assert.deepEqual(server.asked, [])
})

test('the hosts file comes first, with all of its lines, and is read again when it was changed', async (t) => {
  const hosts = `
    # 192.0.2.9 chat.test
    192.0.2.1\tchat.test alias.test  # the old one
    2001:db8::1 Chat.Test.
    nonsense chat.test`
  const { of, server, system } = await namesWith(t, { 'chat.test': ['192.0.2.7'] }, { hosts })
  const both = ['192.0.2.1', '2001:db8::1']
  for (const host of ['chat.test', 'CHAT.test.']) assert.deepEqual(await of.addresses(host, question), both)
  assert.deepEqual(await of.addresses('chat.test', { signal: never, isWhole: true }), both)
  assert.deepEqual(await of.addresses('alias.test', question), ['192.0.2.1'])
  assert.deepEqual(server.asked, [])
  system.writeHosts('192.0.2.2 chat.test\n')
  assert.deepEqual(await of.addresses('chat.test', question), ['192.0.2.2'])
  system.writeHosts('')
  assert.deepEqual(await of.addresses('chat.test', question), ['192.0.2.7'])
})

test('of a hosts file, a megabyte is read, to the end of a line', async (t) => {
  const line = `192.0.2.1 ${'x'.repeat(60)}\n`
  const filler = line.repeat(Math.floor(2 ** 20 / line.length) - 1)
  const hosts = `${filler}192.0.2.2 last.test\n${line.repeat(3)}192.0.2.3 beyond.test\n`
  const { of } = await namesWith(t, { 'beyond.test': ['192.0.2.7'] }, { hosts })
  assert.deepEqual(await of.addresses('last.test', question), ['192.0.2.2'])
  assert.deepEqual(await of.addresses('beyond.test', question), ['192.0.2.7'])
})

test('short names are completed as the system says, and whole ones are not', async (t) => {
  const resolver =
    'search old.test\nnameserver 192.0.2.53\nsearch one.test two.test.\noptions edns0 ndots:2\n'
  const known = {
    'chat.two.test': ['192.0.2.1'],
    'db.eu.one.test': ['192.0.2.2'],
    'db.eu': ['192.0.2.3'],
    'a.b.c': ['192.0.2.4'],
    'x.y.z.two.test': ['192.0.2.5'],
    chat: ['192.0.2.6'],
  }
  const { of, server } = await namesWith(t, known, { resolver })
  const asked = async (host: string, isWhole = false) => {
    server.asked.length = 0
    const [address] = await of.addresses(host, { signal: never, isWhole })
    const names = server.asked.flatMap((each) => (each.startsWith('A ') ? [each.slice(2)] : []))
    return [address, ...names]
  }
  assert.deepEqual(await asked('chat'), ['192.0.2.1', 'chat.one.test', 'chat.two.test'])
  assert.deepEqual(await asked('db.eu'), ['192.0.2.2', 'db.eu.one.test'])
  assert.deepEqual(await asked('a.b.c'), ['192.0.2.4', 'a.b.c'])
  assert.deepEqual(await asked('x.y.z'), ['192.0.2.5', 'x.y.z', 'x.y.z.one.test', 'x.y.z.two.test'])
  assert.deepEqual(await asked('db.eu.'), ['192.0.2.3', 'db.eu'])
  assert.deepEqual(await asked('db.eu', true), ['192.0.2.3', 'db.eu'])
  assert.deepEqual(await asked('chat', true), ['192.0.2.6', 'chat'])
})

test('international names are translated, and what is no name is not asked for', async (t) => {
  const { of, server } = await namesWith(t, { 'xn--bcher-kva.test': ['192.0.2.1'] })
  assert.deepEqual(await of.addresses('Bücher.test', question), ['192.0.2.1'])
  server.asked.length = 0
  for (const host of ['', '.', 'a b', 'a/b', 'user@host', 'host:80', 'a..b', `${'x'.repeat(64)}.test`, '\0'])
    assert.equal(await failureOf(of.addresses(host, question)), 'unknown', host)
  assert.equal(await failureOf(of.addresses('x.'.repeat(130), question)), 'unknown')
  assert.deepEqual(server.asked, [])
})

test('a failure says whether the name is unknown or name servers are at fault', async (t) => {
  const { of } = await namesWith(t, { 'broken.test': 'fault', 'empty.test': [] })
  assert.equal(await failureOf(of.addresses('missing.test', question)), 'unknown')
  assert.equal(await failureOf(of.addresses('empty.test', question)), 'unknown')
  assert.equal(await failureOf(of.addresses('broken.test', question)), 'fault')
  assert.equal(await failureOf(of.services('_x._tcp.missing.test', question)), 'unknown')
})

/** A name server that responds for the names of one party, and never for those of the other. */
async function halfSilent(t: TestContext) {
  const time = new FakeTime()
  const server = await nameServer(t, (name: string, type: RecordType) => {
    if (name.endsWith('silent.test')) return 'silence'
    return type === 'A' ? ['192.0.2.1'] : []
  })
  return { time, server, names: namesOf(server, time) }
}

const many = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => name(at))

test('whoever waits for silent name servers delays neither the names of others nor files', async (t) => {
  const { time, names, server } = await halfSilent(t)
  const [attacker, neighbour] = [names.of('attacker'), names.of('neighbour')]
  const waiting = many(500, (at) => `${at}.silent.test`).map((host) =>
    failureOf(attacker.addresses(host, question)),
  )
  while (new Set(server.asked.filter((each) => each.includes('silent'))).size < 64)
    await server.nextQuestion()
  assert.equal(names.underway, 32)
  // No time passes meanwhile: nothing of the attacker's is over.
  for (const host of many(50, (at) => `${at}.good.test`))
    assert.deepEqual(await neighbour.addresses(host, question), ['192.0.2.1'])
  assert.ok((await readFile(import.meta.filename)).length > 0)
  assert.equal(names.underway, 32)
  // Those that were under way are over together, and those that waited with them.
  time.pass(8_000)
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['timeout']))
  assert.equal(names.underway, 0)
})

test('a look-up that nobody waits for any longer ends at once, and makes room', async (t) => {
  const { names, server } = await halfSilent(t)
  const of = names.of('org')
  const caller = new AbortController()
  const waiting = many(40, (at) => `${at}.silent.test`).map((host) =>
    of.addresses(host, { signal: caller.signal }).then(
      () => assert.fail(),
      (error: unknown) => error,
    ),
  )
  await server.nextQuestion()
  const good = of.addresses('good.test', question)
  const gone = new Error('gone')
  caller.abort(gone)
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([gone]))
  assert.deepEqual(await good, ['192.0.2.1'])
  assert.equal(names.underway, 0)
  await assert.rejects(of.addresses('good.test', { signal: caller.signal }), gone)
})

test('more than a thousand that wait are refused, to that party only', async (t) => {
  const { time, names } = await halfSilent(t)
  const waiting = many(1_040, (at) => `${at}.silent.test`).map((host) =>
    failureOf(names.of('attacker').addresses(host, question)),
  )
  assert.deepEqual(await names.of('neighbour').addresses('good.test', question), ['192.0.2.1'])
  time.pass(8_000)
  const failures = await Promise.all(waiting)
  assert.equal(failures.filter((reason) => reason === 'busy').length, 8)
  assert.equal(failures.filter((reason) => reason === 'timeout').length, 1_032)
  assert.equal(names.refused, 8)
  const { message } = nameFailure('busy')
  assert.match(
    message,
    /^this organization already has 32 names being looked up and 1,000 waiting for it, .* try again/,
  )
  await turn()
  assert.deepEqual([names.underway, names.waiting], [0, 0])
})

import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { createInstance, listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { version } from '../../../src/version.ts'
import { type CheckedClient, createCheckedClient } from '../../kit/http/checked-client.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { type Ran, runCommand } from '../../kit/processes/run-command.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'

const home = freshFolder()
const data = join(home, 'data')
let posthorn: PosthornProcess

before(async () => {
  posthorn = await spawnPosthorn(data)
})

after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

/** Runs `posthorn` with these words to its end, with the settings of the server unless others are given. */
function run(words: string, environment: Record<string, string> = {}): Promise<Ran> {
  const settings = { POSTHORN_DATA: data, POSTHORN_LISTEN: new URL(posthorn.url).host, ...environment }
  return runCommand(words.split(' ').filter(Boolean), { environment: settings, cwd: home })
}

/** Leaves a data folder as a server does that was started and stopped. */
async function startAndStop(folder: string): Promise<void> {
  const server = await spawnPosthorn(folder)
  assert.equal(await server.end('SIGTERM'), 0)
}

/** The result of a command that must succeed. */
async function done(words: string, environment?: Record<string, string>): Promise<Ran> {
  const ran = await run(words, environment)
  assert.equal(ran.code, 0, `posthorn ${words}: ${ran.out}${ran.err}`)
  return ran
}

/** Resolves when calls with this key are refused; the first call that is refused ends it. */
async function refused(client: CheckedClient): Promise<ProblemError> {
  for (;;) {
    try {
      await client.call(listInstances)
    } catch (error) {
      assert.ok(error instanceof ProblemError)
      return error
    }
  }
}

describe('beside a running server', () => {
  test('an organization and its key are made, used, listed and revoked', async () => {
    await done('organizations create acme')
    const organizations = await done('organizations list')
    assert.match(organizations.out, /^NAME +CREATED +ID\nacme .*\ndefault .*\n$/)

    const created = await done('keys create --organization acme --role send')
    const key = created.out.trim()
    assert.match(created.out, /^phk_[0-9a-z]{59}\n$/, 'the key alone on standard output')
    const id = /key_[0-9a-z]{26}/.exec(created.err)?.[0] ?? assert.fail(created.err)
    assert.ok(!created.err.includes(key))

    const client = createCheckedClient({ baseUrl: posthorn.url, key })
    assert.deepEqual((await client.call(listInstances)).body.data, [])
    await assert.rejects(client.call(createInstance, { body: { name: 'trial' } }), { code: 'forbidden' })

    const listed = (await done('keys list --organization acme')).out
    assert.match(listed, new RegExp(`\\n${id} +acme +- +send +${key.slice(0, 10)}… +all .* UTC +- +-\\n$`))
    assert.ok(!listed.includes(key))

    await done(`keys revoke ${id}`)
    const ownTime = measureOwnTime()
    assert.equal((await refused(client)).code, 'unauthenticated')
    // The server believes a key for one second; the rest is room for a busy machine.
    assert.ok(ownTime() < 3_000)
    assert.match((await done(`keys revoke ${id}`)).out, /was revoked before/)
    assert.match((await done('keys list')).out, new RegExp(`${id} .*UTC +.*UTC\\n`))
  })

  test('a key that expires, and is limited to some instances, is made and listed', async () => {
    const words = 'keys create --organization default --role read --expires 90d --instances shop,desk --json'
    const made = JSON.parse((await done(words)).out)
    assert.deepEqual(made.instances, ['shop', 'desk'])
    const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90, made.expires_at)
    const keys = JSON.parse((await done('keys list --organization default --json')).out)
    const listed = keys.find(({ id }: { id: string }) => id === made.id)
    assert.deepEqual([listed.instances, listed.expires_at], [made.instances, made.expires_at])
    const line = (await done('keys list')).out.split('\n').find((one) => one.startsWith(made.id))
    assert.match(line ?? '', / shop,desk +\S+ \S+ UTC +- +\S+ \S+ UTC +-$/)
    for (const [wrong, sentence] of [
      ['--expires 90', /--expires is a time ahead/],
      ['--expires 2020-01-01', /--expires is a time ahead/],
      ['--expires 99999d', /--expires is a time ahead/],
      ['--name=', /--name is a text of 1 to 100 characters/],
      ['--instances shop,,desk', /"" cannot be one/],
      ['--instances Shop', /"Shop" cannot be one/],
    ] as const) {
      const ran = await run(`keys create --organization default --role read ${wrong}`)
      assert.equal(ran.code, 2, wrong)
      assert.match(ran.err, sentence)
      assert.equal(ran.out, '')
    }
  })

  test('programs read JSON', async () => {
    const organization = JSON.parse((await done('organizations create programs --json')).out)
    assert.equal(organization.name, 'programs')
    const words = 'keys create --organization programs --role read --name Orders --json'
    const created = JSON.parse((await done(words)).out)
    assert.equal(Object.keys(created).join(' '), 'id organization name role key expires_at instances')
    const keys = JSON.parse((await done('keys list --organization programs --json')).out)
    assert.deepEqual(keys, [
      {
        id: created.id,
        organization: 'programs',
        name: 'Orders',
        role: 'read',
        begins_with: created.key.slice(0, 10),
        instances: null,
        created_at: keys[0].created_at,
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
      },
    ])
    const names = JSON.parse((await done('organizations list --json')).out).map(
      (one: { name: string }) => one.name,
    )
    assert.ok(names.includes('programs') && names.includes('default'))
    const revoked = JSON.parse((await done(`keys revoke ${created.id} --json`)).out)
    assert.ok(Date.parse(revoked.revoked_at) > 0)
  })

  test('what cannot be done is said in one sentence that says what to do, with exit code 1', async () => {
    const cases: [words: string, sentence: RegExp][] = [
      [
        'organizations create default',
        /there is an organization "default" already; `npx posthorn organizations list`/,
      ],
      ['keys create --organization nobody --role read', /no organization "nobody"; create it with/],
      ['keys list --organization nobody', /no organization "nobody"; `npx posthorn organizations list`/],
      ['keys revoke key_00000000000000000000000000', /no key key_0+; `npx posthorn keys list`/],
    ]
    for (const [words, sentence] of cases) {
      const { code, out, err } = await run(words)
      assert.equal(code, 1, words)
      assert.equal(out, '')
      assert.match(err, new RegExp(`^posthorn: .*${sentence.source}.*\\.\\n$`))
    }
  })

  test('the doctor finds nothing wrong, and says where the server answers', async () => {
    const { out } = await done('doctor')
    assert.doesNotMatch(out, /^(warn|fail)/m)
    assert.match(out, /^ok {4}server +running and ready at http:\/\/127\.0\.0\.1:\d+$/m)
    for (const subject of [
      'Node',
      'configuration',
      'listening',
      'data folder',
      'secret files',
      'disk',
      'store',
      'files',
    ])
      assert.match(out, new RegExp(`^ok {4}${subject} `, 'm'))
    assert.match(out, /^ok {4}master key +the one from .*master\.key opens the credentials in the store$/m)
    assert.match(out, /^ok {4}schema +up to date/m)
  })
})

test('wrong usage is said with the right one, with exit code 2, and nothing is opened', async () => {
  const words = [
    '',
    'frobnicate',
    'keys',
    'keys frobnicate',
    'keys create',
    'keys create --organization acme',
    'keys create --organization acme --role boss',
    'keys create --organization acme --role read extra',
    'keys list --frobnicate',
    'keys revoke',
    `keys revoke ${posthorn.adminKey}`,
    'organizations create',
    'doctor now',
  ]
  const names = ['Acme', '-acme', '_acme', 'a.b', 'é', 'a'.repeat(64), '--', '../acme']
  for (const line of [...words, ...names.map((name) => `organizations create ${name}`)]) {
    const { code, out, err } = await run(line, { POSTHORN_DATA: join(home, 'never') })
    assert.equal(code, 2, `posthorn ${line}: ${out}${err}`)
    assert.match(err, /^posthorn: .+\.\n$/)
    assert.ok(!err.includes(posthorn.adminKey))
  }
  assert.equal(existsSync(join(home, 'never')), false)
})

test('help and version are printed where people look for them', async () => {
  const { out } = await done('help')
  for (const name of ['serve', 'organizations create NAME', 'keys revoke ID', 'doctor'])
    assert.ok(out.includes(name))
  for (const words of ['--help', '-h']) assert.equal((await done(words)).out, out)
  assert.match(
    (await done('keys create --help')).out,
    /^usage: posthorn keys create --organization NAME --role/,
  )
  for (const words of ['version', '--version', '-v']) assert.equal((await done(words)).out, `${version}\n`)
})

test('a folder on which no server was ever started is refused, and nothing is made in it', async () => {
  const POSTHORN_DATA = join(home, 'elsewhere')
  for (const words of ['organizations list', 'organizations create acme', 'keys list']) {
    const { code, err } = await run(words, { POSTHORN_DATA })
    assert.equal(code, 1)
    assert.match(
      err,
      /no server was ever started on .*elsewhere; start it once with `npx posthorn serve`, or/,
    )
  }
  assert.equal(existsSync(POSTHORN_DATA), false)
})

describe('the doctor', () => {
  /** The lines of what it found that are not well, and its exit code. */
  async function complaints(environment: Record<string, string>) {
    const { code, out } = await run('doctor --json', environment)
    const { findings } = JSON.parse(out) as {
      findings: { verdict: string; subject: string; advice?: string }[]
    }
    const bad = findings.filter(({ verdict }) => verdict !== 'ok')
    for (const { advice } of bad) assert.ok(advice, 'says what to do')
    return { code, found: bad.map(({ verdict, subject }) => `${verdict} ${subject}`) }
  }

  test('changes nothing, before the first start and after a stop', async () => {
    const own = join(home, 'own')
    const environment = { POSTHORN_DATA: own, POSTHORN_LISTEN: '127.0.0.1:0' }
    assert.deepEqual(await complaints(environment), { code: 0, found: [] })
    assert.equal(existsSync(own), false)
    await startAndStop(own)
    const look = () =>
      readdirSync(own).map((name) => [
        name,
        statSync(join(own, name)).mtimeMs,
        statSync(join(own, name)).size,
      ])
    const looked = look()
    assert.deepEqual(await complaints(environment), { code: 0, found: [] })
    assert.deepEqual(look(), looked)
  })

  test('names every value that does not fit', async () => {
    const environment = { POSTHORN_LISTEN: ':8080', POSTHORN_QUEUE_LIMIT: 'many', POSTHORN_LISTN: 'x' }
    const found = ['fail configuration', 'fail configuration', 'fail configuration']
    assert.deepEqual(await complaints(environment), { code: 1, found })
    assert.deepEqual(await complaints({ POSTHORN_DEFAULT_NETWORK: 'pigeon' }), {
      code: 1,
      found: ['fail configuration'],
    })
  })

  test('notices a wrong master key, a missing one, and a store that is none', async () => {
    const own = join(home, 'sealed')
    await startAndStop(own)
    const environment = { POSTHORN_DATA: own, POSTHORN_LISTEN: '127.0.0.1:0' }
    const POSTHORN_MASTER_KEY = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'
    assert.deepEqual(await complaints({ ...environment, POSTHORN_MASTER_KEY }), {
      code: 1,
      found: ['fail master key'],
    })
    rmSync(join(own, 'master.key'))
    assert.deepEqual(await complaints(environment), { code: 1, found: ['fail master key'] })
    assert.ok(!readdirSync(own).includes('master.key'))
    writeFileSync(join(own, 'posthorn.db'), 'no database '.repeat(1_000))
    assert.deepEqual(await complaints(environment), { code: 1, found: ['fail store'] })
  })

  test('notices what others on the machine may read, and callers who come without TLS', async () => {
    const own = join(home, 'open')
    await startAndStop(own)
    chmodSync(own, 0o755)
    chmodSync(join(own, 'admin.key'), 0o644)
    const environment = { POSTHORN_DATA: own, POSTHORN_LISTEN: '0.0.0.0:0' }
    const found = ['warn listening', 'warn data folder', 'fail secret files']
    assert.deepEqual(await complaints(environment), { code: 1, found })
    chmodSync(join(own, 'admin.key'), 0o600)
    chmodSync(own, 0o700)
    const POSTHORN_BASE_URL = 'https://messages.example.org'
    assert.deepEqual(await complaints({ ...environment, POSTHORN_BASE_URL }), { code: 0, found: [] })
  })

  test('notices a port that another program has, and finds a server that was started with other settings', async () => {
    const own = join(home, 'port')
    assert.deepEqual(await complaints({ POSTHORN_DATA: own }), { code: 1, found: ['fail server'] })
    for (const POSTHORN_LISTEN of ['127.0.0.1:1', '127.0.0.1:0'])
      assert.deepEqual(await complaints({ POSTHORN_LISTEN }), { code: 0, found: [] })
    const kept = join(data, 'server.url')
    renameSync(kept, `${kept}.away`)
    const unknown = await complaints({ POSTHORN_LISTEN: '127.0.0.1:1' })
    renameSync(`${kept}.away`, kept)
    assert.deepEqual(unknown, { code: 1, found: ['fail server'] })
  })

  test('says of a server that is stopping what it may be', async () => {
    const own = join(home, 'stopping')
    const server = await spawnPosthorn(own)
    const { host } = new URL(server.url)
    const environment = { POSTHORN_DATA: own, POSTHORN_LISTEN: host }
    // A request that goes on keeps it from stopping at once.
    const caller = await RawConnection.open(server.url)
    caller.write('POST /v1/instances HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n')
    caller.write(`authorization: Bearer ${server.adminKey}\r\ncontent-length: 2\r\n\r\n{`)
    await server.admin.call(listInstances)
    process.kill(server.pid, 'SIGTERM')
    while (!server.output().includes('stopping')) await new Promise((resolve) => setTimeout(resolve, 10))
    const { code, out } = await run('doctor', environment)
    assert.equal(code, 1)
    assert.match(
      out,
      /^fail {2}server .*running on this data folder, but does not respond at http.*\n.*may be starting or stopping/m,
    )
    await server.end('SIGKILL')
  })

  test('shows no secret', async () => {
    const { out } = await done('doctor --json')
    for (const file of ['admin.key', 'master.key', 'operator.token', 'metrics.token'])
      assert.ok(!out.includes(readFileSync(join(data, file), 'utf8').trim()))
    const POSTHORN_DATABASE_URL = 'postgres://me:hush-hush@127.0.0.1:1/posthorn'
    const lost = await run('doctor', { POSTHORN_DATABASE_URL })
    assert.equal(lost.code, 1)
    assert.match(lost.out, /^fail {2}store +PostgreSQL at 127\.0\.0\.1:1\/posthorn cannot be used: /m)
    assert.doesNotMatch(lost.out + lost.err, /hush/)
  })
})

test('it is the same beside a server whose store is in PostgreSQL', async (t) => {
  const postgres = await startPostgres()
  if (!postgres.available) return t.skip(postgres.reason)
  t.after(() => postgres.server.stop())
  const own = join(home, 'shared')
  const POSTHORN_DATABASE_URL = await postgres.server.createDatabase()
  const environment = { POSTHORN_DATA: own, POSTHORN_DATABASE_URL }
  assert.equal((await run('keys list', environment)).code, 1, 'never started')
  const server = await spawnPosthorn(own, { POSTHORN_DATABASE_URL })
  t.after(() => server.end('SIGKILL'))

  await done('organizations create acme', environment)
  const key = (await done('keys create --organization acme --role read', environment)).out.trim()
  const client = createCheckedClient({ baseUrl: server.url, key })
  assert.deepEqual((await client.call(listInstances)).body.data, [])
  const POSTHORN_LISTEN = new URL(server.url).host
  const { out } = await done('doctor', { ...environment, POSTHORN_LISTEN })
  assert.doesNotMatch(out, /^(warn|fail)/m)
  const at = String.raw`127\.0\.0\.1:\d+${new URL(POSTHORN_DATABASE_URL).pathname}`
  assert.match(
    out,
    new RegExp(`^ok {4}store +PostgreSQL \\d+.* at ${at} opens, and its commits are durable$`, 'm'),
  )
  assert.match(out, /^ok {4}clock +the database's is/m)
  assert.match(out, new RegExp(`^ok {4}files +in PostgreSQL at ${at}: a test file was written`, 'm'))

  const elsewhere = (reason: string) =>
    new RegExp(`^warn {2}store +${reason}: the server of this data folder keeps its data elsewhere`, 'm')
  const blind = await run('doctor', { POSTHORN_DATA: own, POSTHORN_LISTEN })
  assert.match(blind.out, elsewhere('the running server has not opened .*posthorn\\.db'))
  const other = await run('doctor', { POSTHORN_DATABASE_URL })
  assert.match(other.out, elsewhere('only other servers run on the database \\(node_\\w+\\)'))
  const otherFolder = await run('doctor', { POSTHORN_DATA: join(home, 'strange'), POSTHORN_DATABASE_URL })
  assert.match(otherFolder.out, /^ok {4}store +other nodes run on this database: node_\w+$/m)

  await server.end('SIGTERM')
  assert.doesNotMatch((await run('doctor', { ...environment, POSTHORN_LISTEN })).out, /other nodes|elsewhere/)
})

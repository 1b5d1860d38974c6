import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'
import { runCommand } from '../../kit/processes/run-command.ts'

/* The server is started and stopped by the commands that people type, and says why if it cannot start. */

const home = freshFolder()
const root = new URL('../../..', import.meta.url).pathname
after(() => rmSync(home, { recursive: true, force: true }))

/** Returns the one sentence of a server that cannot start. */
async function refusal(environment: Record<string, string>, data = join(home, 'refused')): Promise<string> {
  const error = await spawnPosthorn(data, environment).then(
    () => assert.fail('it started'),
    (error: Error) => error,
  )
  const match = /^Posthorn ended with code 1:\nPosthorn cannot start: (.+)\.\n$/.exec(error.message)
  assert.ok(match?.[1], `one sentence was expected, not: ${error.message}`)
  return match[1]
}

/** Runs a command in the folder of the project until it serves; resolves with where, and what was said. */
async function run(command: string, words: readonly string[], data: string) {
  const child: ChildProcess = spawn(command, words, {
    cwd: root,
    env: { ...process.env, POSTHORN_LISTEN: '127.0.0.1:0', POSTHORN_DATA: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endWithUs(child)
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, found] = /serves on (\S+)/.exec(said) ?? []
      if (found !== undefined && said.includes('instances are running')) resolve(found)
    })
  })
  return { child, url, said: () => said }
}

/** Resolves once no server listens there. */
async function gone(url: string): Promise<void> {
  for (;;) {
    const answered = await fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    )
    if (!answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to npm start stops the server in good order, and npm waits for it`, async () => {
    const { child, url, said } = await run('npm', ['start'], join(home, signal))
    child.kill(signal)
    await once(child, 'exit')
    assert.match(said(), /"msg":"stopped"/)
    await gone(url)
  })
}

test('SIGTERM to npx posthorn serve leaves no server behind', async () => {
  const { child, url, said } = await run('npx', ['posthorn', 'serve'], join(home, 'npx'))
  const ended = once(child.stdout as NonNullable<typeof child.stdout>, 'close')
  child.kill('SIGTERM')
  await gone(url)
  await ended
  assert.match(said(), /"msg":"stopped"/)
})

const hasScript = spawnSync('script', ['--version']).status === 0
test('a terminal is shown the key', { skip: hasScript ? false : 'there is no `script` here' }, async () => {
  const data = join(home, 'terminal')
  const words = ['-qefc', `${process.execPath} src/main.js`, '/dev/null']
  const { child, said } = await run('script', words, data)
  child.kill('SIGTERM')
  assert.ok(said().includes(readFileSync(join(data, 'admin.key'), 'utf8').trim()))
})

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const version = spawnSync(path, ['--version']).stdout?.toString() ?? ''
  return version !== '' && Number(/^v(\d+)/.exec(version)?.[1]) < 24
})
/** The Node of the tests, which says that it is another one: for machines that have no old one. */
const pretends =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})'
test('a Node that is too old says so in a sentence', () => {
  const [command, ...words] = oldNode === undefined ? [process.execPath, '--import', pretends] : [oldNode]
  for (const program of ['src/main.js', 'src/cli/posthorn.js']) {
    // The options of the run are for its own Node.
    const env = { ...process.env, NODE_OPTIONS: '' }
    const { status, stderr } = spawnSync(command as string, [...words, program, 'serve'], { cwd: root, env })
    assert.match(stderr.toString(), /^Posthorn cannot run: this is Node \d+\.\S+, which is too old; .*\.\n$/)
    assert.equal(status, 1)
  }
})

describe('a data folder that cannot be one', () => {
  test('because a file is in its place', async () => {
    const file = join(home, 'file')
    writeFileSync(file, 'somebody’s')
    assert.match(
      await refusal({}, file),
      /the data folder cannot be .*file, because that is a file; set POSTHORN_DATA/,
    )
    assert.match(
      await refusal({}, join(file, 'data')),
      /the data folder cannot be .*, because that is a file/,
    )
    assert.equal(readFileSync(file, 'utf8'), 'somebody’s')
  })

  const isRoot = process.getuid?.() === 0
  test('because its disk is read-only', { skip: isRoot ? false : 'needs root' }, async (t) => {
    const folder = join(home, 'disk')
    mkdirSync(folder)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder]).status !== 0)
      return t.skip('nothing can be mounted here')
    t.after(() => spawnSync('umount', [folder]))
    assert.match(
      await refusal({}, folder),
      /^the disk of .* is read-only; make it writable, or set POSTHORN_DATA/,
    )
    assert.match(
      await refusal({}, join(folder, 'data')),
      /^the disk of .*data is read-only; make it writable, or set POSTHORN_DATA/,
    )
  })
})

describe('a PostgreSQL that cannot be used', () => {
  const url = (rest: string) => ({ POSTHORN_DATABASE_URL: `postgres://${rest}` })

  test('because it is not there, or says nothing', async () => {
    assert.match(
      await refusal(url('posthorn:hunter2@127.0.0.1:1/posthorn')),
      /^PostgreSQL at 127\.0\.0\.1:1\/posthorn cannot be used: .*ECONNREFUSED.*; start that server, or correct the host and port in POSTHORN_DATABASE_URL$/,
    )
    assert.match(
      await refusal(url('posthorn:hunter2@no-such-host.invalid/posthorn')),
      /; correct the host in POSTHORN_DATABASE_URL/,
    )
    const taken: Socket[] = []
    const silent = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    assert.match(
      await refusal(url(`posthorn@127.0.0.1:${port}/posthorn`)),
      /timeout.*; start that server, or/,
    )
    for (const socket of taken) socket.destroy()
    silent.close()
  })

  test('because it lets nobody in', async (t) => {
    const postgres = await startPostgres()
    if (!postgres.available) return t.skip(postgres.reason)
    t.after(() => postgres.server.stop())
    const good = await postgres.server.createDatabase()
    const changed = (change: (url: URL) => void) => {
      const other = new URL(good)
      change(other)
      return refusal({ POSTHORN_DATABASE_URL: other.href })
    }
    const wrong = await changed((other) => {
      other.password = 'hunter2'
    })
    assert.match(wrong, /password.*; correct the user and the password in POSTHORN_DATABASE_URL$/)
    assert.doesNotMatch(wrong, /hunter2/)
    const missing = await changed((other) => {
      other.pathname = '/nowhere'
    })
    assert.match(missing, /"nowhere" does not exist; create the database on that server, or correct its name/)
    const tls = await changed((other) => {
      other.searchParams.set('sslmode', 'verify-full')
    })
    assert.match(tls, /SSL.*; enable TLS on that server, or remove sslmode from POSTHORN_DATABASE_URL$/)
    const doctor = spawnSync(process.execPath, ['src/cli/posthorn.js', 'doctor'], {
      cwd: root,
      env: {
        ...process.env,
        POSTHORN_DATA: join(home, 'doctor'),
        POSTHORN_DATABASE_URL: good.replace(/\/[^/]*$/, '/nowhere'),
      },
    })
    assert.match(doctor.stdout.toString(), /"nowhere" does not exist\n *→ create the database on that server/)
  })
})

test('beside the data folder, the key in it goes to the server on it, and to no other program', async () => {
  const own = join(freshFolder(), 'data')
  let heard = 0
  const other = createServer((socket) => {
    heard++
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  // The other program has the port at which the settings here suppose the server.
  const { port } = other.address() as AddressInfo
  const settings = { POSTHORN_DATA: own, POSTHORN_LISTEN: `127.0.0.1:${port}` }
  const beside = (words: string) => runCommand(words.split(' '), { environment: settings, cwd: dirname(own) })
  try {
    const server = await spawnPosthorn(own, { POSTHORN_BASE_URL: 'https://messages.example.org' })
    try {
      const created = await beside('instances create own --network sandbox')
      assert.equal(created.code, 0, created.err)
      assert.deepEqual(
        (await server.admin.call(listInstances)).body.data.map(({ name }) => name),
        ['own'],
      )
      assert.match((await beside('status')).out, /store/)
    } finally {
      await server.end('SIGKILL')
    }
    for (const words of ['instances list', 'status']) {
      const { code, out, err } = await beside(words)
      assert.deepEqual([code, out], [1, ''], err)
      assert.match(
        err,
        /no server runs on the data folder .*; start one with `npx posthorn serve`, or name another/,
      )
    }
    assert.equal(heard, 0)
  } finally {
    other.close()
    rmSync(dirname(own), { recursive: true, force: true })
  }
})

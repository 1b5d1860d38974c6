import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

/** A process that stands still when it is told to. Node lets its standard output refuse what that cannot take. */
const script = `
  import { Watchdog } from ${JSON.stringify(new URL('../../../src/nodes/watchdog.ts', import.meta.url).href)}
  const watchdog = new Watchdog({ says: process.argv[2] === 'true' })
  watchdog.trust(0)
  process.on('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  process.send('runs')`

/** A program with the same pipe: when it ends, Node sets the pipe back to how it was when the program began. */
const other = `process.send('runs'); process.on('disconnect', () => process.exit())`

describe('a process that stands still past its lease is killed', {
  skip: process.platform !== 'linux',
}, () => {
  let folder: string
  const running = new Set<ChildProcess>()
  const open = new Set<number>()

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-watchdog-'))
    writeFileSync(join(folder, 'still.mjs'), script)
  })
  after(() => {
    for (const child of running) child.kill('SIGKILL')
    for (const descriptor of open) closeSync(descriptor)
    rmSync(folder, { recursive: true, force: true })
  })

  function opened(path: string, flags: number): number {
    const descriptor = openSync(path, flags)
    open.add(descriptor)
    return descriptor
  }

  /** Lets a process stand still, and returns what is in its standard output, a pipe, when it has ended. */
  async function outputOf(
    name: string,
    { isFull = false, refuses = true, says = true } = {},
  ): Promise<{ readonly output: string; readonly signal: unknown }> {
    const path = join(folder, name)
    execFileSync('mkfifo', [path])
    const reader = opened(path, constants.O_RDWR | constants.O_NONBLOCK)
    const pipe = opened(path, constants.O_WRONLY)
    const start = async (...words: readonly string[]) => {
      const child = spawn(process.execPath, words, { stdio: ['ignore', pipe, 'inherit', 'ipc'] })
      running.add(child)
      await once(child, 'message')
      return child
    }
    const earlier = await start('-e', other)
    const child = await start(join(folder, 'still.mjs'), String(says))
    if (!refuses) {
      earlier.disconnect()
      await once(earlier, 'exit')
    }
    if (isFull) fill(reader)
    child.send('stand still')
    const [, signal] = await once(child, 'exit')
    return { output: read(reader), signal }
  }

  const limit = { timeout: 60_000 }

  test('with a last line that says what happened and what to do', limit, async () => {
    const { output, signal } = await outputOf('read')
    assert.equal(signal, 'SIGKILL')
    const { level, time, stood_still_ms, msg } = JSON.parse(output)
    assert.equal(level, 'fatal')
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000)
    assert.ok(stood_still_ms > 1_000 && stood_still_ms < 60_000)
    assert.match(msg, /stood still .* start it again/)
  })

  test('without a word if the log says nothing', limit, async () => {
    assert.deepEqual(await outputOf('silent', { says: false }), { output: '', signal: 'SIGKILL' })
  })

  for (const refuses of [true, false])
    test(
      `while a reader of its pipe has stopped, which ${refuses ? 'refuses' : 'would make it wait'}`,
      limit,
      async () => {
        const { output, signal } = await outputOf(`full ${refuses}`, { isFull: true, refuses })
        assert.equal(signal, 'SIGKILL')
        assert.match(output, /^-+$/)
      },
    )
})

/** Fills a pipe to the last byte. */
function fill(pipe: number): void {
  for (const bytes of [Buffer.alloc(4096, '-'), Buffer.from('-')])
    try {
      for (;;) writeSync(pipe, bytes)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
    }
}

/** Returns what is in a pipe. */
function read(pipe: number): string {
  const bytes = Buffer.alloc(1024 * 1024)
  let length = 0
  try {
    for (;;) length += readSync(pipe, bytes, { offset: length })
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
  }
  return bytes.toString('utf8', 0, length)
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { eventually } from '../play.ts'
import { freshFolder } from '../posthorn.ts'

const kit = new URL('../posthorn.ts', import.meta.url).href

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

for (const isPaused of [false, true])
  test(`a server ends with the test that started it, even if that is killed${isPaused ? ' while the server is paused' : ''}`, async (t) => {
    const data = freshFolder()
    t.after(() => rmSync(data, { recursive: true, force: true }))
    const play = `
      const { spawnPosthorn } = await import(${JSON.stringify(kit)})
      const { pid } = await spawnPosthorn(${JSON.stringify(data)})
      console.log(pid)`
    const runner = spawn(process.execPath, ['--input-type=module', '-e', play], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => runner.kill('SIGKILL'))
    const [line] = await once(createInterface({ input: runner.stdout }), 'line')
    const pid = Number(line)
    assert.ok(isAlive(pid))
    if (isPaused) process.kill(pid, 'SIGSTOP')
    runner.kill('SIGKILL')
    await eventually(
      'the server to end',
      async () => isAlive(pid),
      (alive) => !alive,
    )
  })

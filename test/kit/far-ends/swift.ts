import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Settings } from '../../../src/media/store/s3.ts'

/** An object storage that speaks S3: OpenStack Swift, on a loopback port, with its data in its own folder. */
export interface Swift {
  /** Makes a fresh bucket, and returns the settings that reach it. */
  createBucket(): Promise<S3Settings>
  /** Kills it as a power cut would. Its data stay. */
  kill(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

const python = '/usr/bin/python3'
const program = fileURLToPath(new URL('swift-server.py', import.meta.url))
const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

const isInstalled =
  spawnSync(python, ['-c', 'import swift.proxy, swift.account, swift.container, swift.obj']).status === 0

/**
 * For `test` and `describe`: skips with the reason where Swift is missing and not required with
 * `POSTHORN_TEST_REQUIRE=swift`.
 */
export const needsSwift: { skip: string | false } = {
  skip:
    isInstalled || isRequired()
      ? false
      : 'Swift is not installed (Debian packages “swift-proxy swift-account swift-container swift-object”)',
}

function isRequired(): boolean {
  return (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('swift')
}

export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-swift-'))
  // It ends with its standard input, so that it never outlives the tests.
  const child = spawn(python, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'], cwd: tmpdir() })
  const port = await portOf(child)
  const endpoint = `http://127.0.0.1:${port}`
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  let buckets = 0
  return {
    kill,
    async createBucket() {
      const bucket = `media-${++buckets}`
      const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      client.destroy()
      return { endpoint, region: 'us-east-1', bucket, prefix: 'posthorn/', ...credentials }
    },
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('its output is not heard')
  const lines = createInterface({ input: stdout })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  if (line === undefined) throw new Error('Swift ended before it served')
  return Number(line)
}

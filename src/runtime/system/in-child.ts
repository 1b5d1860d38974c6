import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deserialize } from 'node:v8'

/** Bytes that a child may print. */
const maxOutput = 16 * 1024 * 1024
/** Milliseconds that it may take. */
const maxTime = 60_000

/**
 * Runs a module in a child process, and resolves with what it prints, which it has to serialize for V8. The memory that this takes
 * ends with the child. Buffers in the result are parts of one. Rejects if the child fails, takes too long or prints too much.
 */
export async function inChild<Result>(module: URL, ...words: readonly string[]): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(module), ...words], {
    encoding: 'buffer',
    maxBuffer: maxOutput,
    timeout: maxTime,
  })
  return deserialize(stdout) as Result
}

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deserialize } from 'node:v8'

/** Bytes that a child may print. */
const maxOutput = 16 * 1024 * 1024
/** Milliseconds that it may take. */
const maxTime = 60_000

/** Holds what a child is given: words after the name of its module, and what it may read from its standard input. */
interface Given {
  readonly words?: readonly string[]
  readonly input?: string
}

/**
 * Runs a module in a child process, and resolves with what it prints, which it has to serialize for V8. The memory that this takes
 * ends with the child. Buffers in the result are parts of one. Rejects if the child fails, takes too long or prints too much.
 */
export async function inChild<Result>(module: URL, { words = [], input = '' }: Given = {}): Promise<Result> {
  const printed = promisify(execFile)(process.execPath, [fileURLToPath(module), ...words], {
    encoding: 'buffer',
    maxBuffer: maxOutput,
    timeout: maxTime,
  })
  // A child that ends before it has read all says by its exit code whether it failed.
  printed.child.stdin?.on('error', () => {})
  printed.child.stdin?.end(input)
  const { stdout } = await printed
  return deserialize(stdout) as Result
}

import { spawn } from 'node:child_process'
import { ofThisRun } from '../posthorn.ts'

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Surroundings {
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** Standard input; it has ended without it. */
  readonly input?: string
  /** Called with all that it has printed so far, whenever it prints more. */
  readonly onOutput?: (out: string) => void
}

/** Runs `posthorn` with these words to its end. */
export function runCommand(
  words: readonly string[],
  { environment, cwd, input, onOutput }: Surroundings,
): Promise<Ran> {
  const child = spawn(process.execPath, [entry, ...words], { env: { ...ofThisRun(), ...environment }, cwd })
  // A command that reads nothing may have ended before.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
    onOutput?.(said.out)
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })))
}

import { type ChildProcess, spawn } from 'node:child_process'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endWithUs } from '../test/kit/processes/end-with-us.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly pid: number
  readonly url: string
  /** From the start of the process to the first 200 on `/readyz`, in milliseconds. */
  readonly readyAfter: number
  /** Stops it gracefully, or by force if it takes too long. */
  end(): Promise<void>
}

const running = new Set<ChildProcess>()

// At its end the benchmark ends all that it started, by its own handle and never by name.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const readyWithin = 60_000
const endWithin = 30_000

/** Starts a module of this repository; `environment` is told on which port it is to serve. */
export async function startServer(
  module: string,
  environment: (port: number) => Record<string, string>,
): Promise<ServerProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram(process.execPath, [fileURLToPath(new URL(module, import.meta.url))], {
    environment: environment(port),
    isReady: () => answersReady(url),
  })
  return { ...program, url }
}

/** Options of a program that must be ready before the benchmark goes on. */
export interface ProgramOptions {
  readonly environment: Readonly<Record<string, string>>
  /** The account that it runs as; our own without it. */
  readonly uid?: number
  readonly gid?: number
  readonly isReady: () => Promise<boolean>
}

/** Starts any program and waits until it is ready. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { environment, isReady, ...account }: ProgramOptions,
): Promise<Omit<ServerProcess, 'url'>> {
  const begun = performance.now()
  const { child, output } = start(command, args, environment, account)
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() - begun > readyWithin)
      throw new Error(`${[command, ...args].join(' ')} did not become ready:\n${output()}`)
    await wait(4)
  }
  const readyAfter = performance.now() - begun
  return { pid: child.pid as number, readyAfter, end: () => endProcess(child) }
}

/** Runs a module of this repository to its end, and resolves with what it wrote. */
export async function runModule(
  module: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  return runProgram(process.execPath, [fileURLToPath(new URL(module, import.meta.url)), ...args], environment)
}

/** Runs any program to its end, and resolves with what it wrote; throws if it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const { child, output } = start(command, args, environment)
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with code ${code}:\n${output()}`)
  return output()
}

function start(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  account: { readonly uid?: number; readonly gid?: number } = {},
) {
  const child = spawn(command, args, {
    ...account,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  endWithUs(child)
  child.once('exit', () => running.delete(child))
  let output = ''
  const hear = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return { child, output: () => output }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), endWithin)
  await ended
  clearTimeout(force)
}

function answersReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

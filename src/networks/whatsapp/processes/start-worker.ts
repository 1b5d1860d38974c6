import { type ChildProcess, fork, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

/**
 * Options that keep a worker small while nothing happens: after a hundred logins, V8 and the C library would keep half a
 * megabyte for each account that they will hardly use again. They cost no processor time that could be measured.
 */
const smallProcess = ['--max-semi-space-size=4', '--v8-pool-size=1']
const arenas = '2'

/** Share of its memory for its heap: the rest is code, buffers and the memory of the C library. */
const heapPart = 0.75

/** The niceness of workers. */
const lowerPriority = 10

/** Starts a worker with this program. `memory`: how much it may have, in bytes. `served`: the file in which it says whom it serves. */
export function startWorker(program: string, memory: number, served: number | null): ChildProcess {
  const heap = Math.round((memory * heapPart) / 2 ** 20)
  const child = fork(program, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heap}`, ...smallProcess],
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', served ?? 'ignore'],
  })
  if (child.pid !== undefined) {
    giveWay(child.pid)
    endWithServer(child, child.pid)
  }
  return child
}

/**
 * Calls back if a worker says that its heap is full, which V8 does before it ends it. Nothing else of what it writes is looked at or kept:
 * the library prints keys.
 */
export function hearFullHeap({ stderr }: ChildProcess, isFull: () => void): void {
  const words = 'JavaScript heap out of memory'
  let tail = ''
  stderr?.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1')
    if (text.includes(words)) isFull()
    tail = text.slice(-words.length)
  })
  stderr?.on('error', () => undefined)
  // The stream, as Node calls it, is a socket.
  ;(stderr as Socket | null)?.unref()
}

/** Two hundred accounts that log in at once take all processors for some seconds: requests go first. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, lowerPriority)
  } catch {
    // The system does not allow it, or the process has ended already.
  }
}

/**
 * A worker ends by itself when its server is gone, unless it runs in circles. So a shell waits for the end of a pipe that lives as long
 * as the server, and then ends the worker; it takes 200 kB. Systems without a shell do without.
 */
function endWithServer(worker: ChildProcess, pid: number): void {
  // A terminal, or a service manager that stops the server, sends these signals to all processes at once.
  const script = `trap '' INT TERM HUP; read -r ended || kill -9 ${pid}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()
  ;(shell.stdin as Socket).unref()
  worker.once('exit', () => shell.stdin.end('ended\n'))
}

/** Returns the part of the environment that a worker needs: no secret of the server. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, TZ, NODE_EXTRA_CA_CERTS } = process.env
  const cache = fileURLToPath(new URL('../../../../node_modules/.cache/posthorn', import.meta.url))
  return {
    PATH,
    NODE_COMPILE_CACHE: cache,
    MALLOC_ARENA_MAX: arenas,
    ...(TZ !== undefined && { TZ }),
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
  }
}

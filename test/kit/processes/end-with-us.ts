import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Sees to it that a process that a test started does not outlive the test, however that ends: a shell waits for the end of a pipe
 * that lives as long as we do, and then ends the process, even if it is paused. The process itself notices nothing.
 */
export function endWithUs<P extends ChildProcess>(child: P): P {
  if (child.pid === undefined) return child
  // An interruption of the tests signals all of their processes at once.
  const script = `trap '' INT TERM HUP; read -r ended || kill -9 ${child.pid}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()
  // The stream, as Node calls it, is a socket.
  ;(shell.stdin as Socket).unref()
  child.once('exit', () => shell.stdin.end('ended\n'))
  return child
}

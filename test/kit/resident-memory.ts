import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The resident memory of a process in bytes: `VmRSS` on Linux, what `ps` says elsewhere. */
export function residentMemory(pid: number): number {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return Number(kilobytes) * 1024
}

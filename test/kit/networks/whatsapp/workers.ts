import { readdirSync, readFileSync } from 'node:fs'

/** The worker processes that a server has started, which hold clients. */
export function workersOf(server: number): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const parent = /\) . (\d+) /.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))?.[1]
      return isWorker(Number(entry)) && Number(parent) === server ? [Number(entry)] : []
    } catch {
      return []
    }
  })
}

/** True if this process is a worker, also if its server has ended. */
export function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('whatsapp/worker/main.ts')
  } catch {
    return false
  }
}

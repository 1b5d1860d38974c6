import { readFileSync } from 'node:fs'

/** The resident memory of a process in bytes; null if the system does not say (it does on Linux). */
export function residentMemoryOf(pid: number): number | null {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(contentOf(`/proc/${pid}/status`))?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

/** For how long the main thread of a process was ready to run and was not let, in milliseconds since it began; 0 if the system does not say. */
export function waitedOf(pid: number): number {
  const nanoseconds = contentOf(`/proc/${pid}/schedstat`).split(' ')[1]
  return nanoseconds === undefined ? 0 : Number(nanoseconds) / 1e6
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

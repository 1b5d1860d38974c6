import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A disk of 4 MB, unmounted when the tests end; nothing if this process may not mount. */
export function smallDisk(): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'posthorn-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    rmSync(disk, { recursive: true })
    return undefined
  }
  after(() => {
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true })
  })
  return disk
}

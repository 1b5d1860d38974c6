import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../runtime/config/config.ts'
import { runsInImage } from '../../store/data-volume.ts'

/** Returns those of these files and folders that other users of this machine may read or enter. */
export function openToOthers(paths: readonly string[]): string[] {
  if (process.platform === 'win32') return []
  return paths.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
}

/** Returns the paths of the files with secrets that a server reads or writes. */
export function secretFilesOf(config: Config, folder: string): string[] {
  // A container has no other users; the rights of a secret that is mounted are those that its engine gives it.
  const named = runsInImage() ? undefined : config.POSTHORN_MASTER_KEY_FILE
  const masterKey = named ?? join(folder, 'master.key')
  return [masterKey, ...['admin.key', 'operator.token', 'metrics.token'].map((name) => join(folder, name))]
}

/** Network file systems, by the number that Linux gives them. SQLite cannot rely on locks there. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
])

/** Returns the name of the network file system that a folder is on; undefined if it is on none that is known. */
export function networkFileSystemOf(folder: string): string | undefined {
  return process.platform === 'linux' ? networkFileSystems.get(statfsSync(folder).type) : undefined
}

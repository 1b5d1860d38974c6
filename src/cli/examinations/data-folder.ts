import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../runtime/config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const subject = 'data folder'

/** Examines the folder, its permissions, its file system, and the room that is left. */
export function examineDataFolder(config: Config): Finding[] {
  const folder = resolve(config.POSTHORN_DATA)
  if (!existsSync(folder)) {
    const parent = nearestFolder(folder)
    if (!isWritable(parent))
      return [
        fail(
          subject,
          `${folder} is not there, and cannot be made in ${parent}`,
          'make it, for the user of the server',
        ),
      ]
    return [ok(subject, `${folder} is not there yet; the first start makes it`), roomIn(parent)]
  }
  if (!statSync(folder).isDirectory())
    return [fail(subject, `${folder} is a file`, 'name a folder with POSTHORN_DATA')]
  if (!isWritable(folder))
    return [
      fail(
        subject,
        `${folder} cannot be written to by this user`,
        'change its owner, or call this as its owner',
      ),
    ]
  return [permissionsOf(folder), ...secretFiles(config, folder), fileSystemOf(folder), roomIn(folder)]
}

function nearestFolder(folder: string): string {
  const parent = dirname(folder)
  return existsSync(parent) || parent === folder ? parent : nearestFolder(parent)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function permissionsOf(folder: string): Finding {
  const others = statSync(folder).mode & 0o077
  if (others === 0 || process.platform === 'win32') return ok(subject, `${folder}, for its owner alone`)
  return warn(subject, `${folder} can be entered by other users of this machine`, `chmod 700 ${folder}`)
}

function secretFiles(config: Config, folder: string): Finding[] {
  const masterKey = config.POSTHORN_MASTER_KEY_FILE ?? join(folder, 'master.key')
  const files = [masterKey, join(folder, 'admin.key'), join(folder, 'metrics.token')].filter(existsSync)
  if (files.length === 0 || process.platform === 'win32') return []
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  if (open.length === 0) return [ok('secret files', 'for their owner alone')]
  return open.map((file) =>
    fail('secret files', `${file} can be read by other users of this machine`, `chmod 600 ${file}`),
  )
}

/** File systems that other machines share, by the number that Linux gives them. SQLite's locks cannot be relied on there. */
const shared = new Map([
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

function fileSystemOf(folder: string): Finding {
  const name = process.platform === 'linux' ? shared.get(statfsSync(folder).type) : undefined
  if (name === undefined) return ok('file system', 'not one that is known to be shared')
  return warn(
    'file system',
    `${folder} is on ${name}, where SQLite may lose what was accepted`,
    'keep the data folder on a local disk, or the store in PostgreSQL (POSTHORN_DATABASE_URL)',
  )
}

const megabyte = 1024 * 1024

function roomIn(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const left = Math.floor((bavail * bsize) / megabyte)
  const detail = `${left} MB are left`
  if (left < 100) return fail('disk', detail, 'make room: without it nothing is accepted')
  if (left < 1024) return warn('disk', detail, 'make room, or watch it')
  return ok('disk', detail)
}

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../runtime/config/config.ts'
import { networkFileSystemOf, openToOthers, secretFilesOf } from '../../server/health/folder-facts.ts'
import { lossOf } from '../../store/data-volume.ts'
import { type Finding, findingsOn } from './finding.ts'

const disk = findingsOn('disk')
const fileSystem = findingsOn('file system')
const secrets = findingsOn('secret files')

const { fail, ok, warn } = findingsOn('data folder')

/** Examines the folder, its permissions, its file system and the free space on its disk. */
export function examineDataFolder(config: Config): Finding[] {
  const folder = resolve(config.POSTHORN_DATA)
  const loss = lossOf(folder)
  if (loss) return [fail(loss.why, loss.advice)]
  if (!existsSync(folder)) {
    const parent = nearestFolder(folder)
    if (!isWritable(parent) || isMadeUp(parent))
      return [
        fail(
          `${folder} does not exist, and this user cannot create it in ${parent}`,
          'create it, owned by the user that runs the server',
        ),
      ]
    return [ok(`${folder} does not exist yet; the first start creates it`), freeSpaceIn(parent)]
  }
  if (!statSync(folder).isDirectory()) return [fail(`${folder} is a file`, 'set POSTHORN_DATA to a folder')]
  if (!isWritable(folder))
    return [fail(`this user cannot write to ${folder}`, 'change its owner, or run this command as its owner')]
  return [permissionsOf(folder), ...secretFiles(config, folder), fileSystemOf(folder), freeSpaceIn(folder)]
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

/** File systems of the kernel, by the number that Linux gives them: they look writable, and take no files. */
const madeUp = new Set([0x9fa0, 0x62656572])

function isMadeUp(folder: string): boolean {
  return process.platform === 'linux' && madeUp.has(statfsSync(folder).type)
}

function permissionsOf(folder: string): Finding {
  if (openToOthers([folder]).length === 0) return ok(`${folder}, accessible to its owner only`)
  return warn(`other users of this machine can enter ${folder}`, `chmod 700 ${folder}`)
}

function secretFiles(config: Config, folder: string): Finding[] {
  const files = secretFilesOf(config, folder).filter(existsSync)
  if (files.length === 0 || process.platform === 'win32') return []
  const open = openToOthers(files)
  if (open.length === 0) return [secrets.ok('readable by their owner only')]
  return open.map((file) => secrets.fail(`other users of this machine can read ${file}`, `chmod 600 ${file}`))
}

function fileSystemOf(folder: string): Finding {
  const name = networkFileSystemOf(folder)
  if (name === undefined) return fileSystem.ok('not a known network file system')
  return fileSystem.warn(
    `${folder} is on ${name}, a network file system on which SQLite may lose accepted messages`,
    'move the data folder to a local disk, or keep the store in PostgreSQL (POSTHORN_DATABASE_URL)',
  )
}

const megabyte = 1024 * 1024

function freeSpaceIn(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const left = Math.floor((bavail * bsize) / megabyte)
  const detail = `${left} MB free`
  if (left < 100)
    return disk.fail(detail, 'free some space: when the disk is full, Posthorn accepts no messages')
  if (left < 1024) return disk.warn(detail, 'free some space, or watch the disk')
  return disk.ok(detail)
}

import { join } from 'node:path'
import type { Written } from '../../backup/write-backup.ts'
import { readConfig } from '../../networks/config.ts'
import type { Config } from '../../runtime/config/config.ts'
import { command, WrongUsage } from '../command.ts'
import { explain, print, progressOf } from '../output.ts'
import { refuseUnfit } from '../store.ts'

/** The most backups that a folder may keep. */
const maxKept = 10_000

/** `posthorn backup`: one file with the store and its larger files, as they are at one moment. */
export const backup = command({
  name: 'backup',
  summary:
    'Write a backup of the store and its files to FILE, even while the server runs. It does not contain the master key.',
  operands: ['FILE'],
  options: {
    keep: {
      type: 'string',
      value: 'COUNT',
      description:
        'FILE is a folder: write the backup there under a name with the time, verify it, and then remove older ones of this store, so that COUNT are left.',
    },
  },
  async run({ operands: [place = ''], options: { keep } }) {
    const count = keep === undefined ? undefined : countIn(keep)
    const config = readConfig(process.env)
    if (config.POSTHORN_DATABASE_URL === undefined) await refuseUnfit(config)
    const { file, removed, written } = await write(config, place, count)
    const { noteMade } = await import('../../backup/note-made.ts')
    const { messages = 0 } = written.manifest.rows
    print(
      `${file} contains ${messages} messages, ${written.events} events and ${written.manifest.files} larger files`,
    )
    for (const older of removed) print(`${older} was removed`)
    explainRest(config, written)
    if (written.notNoted === undefined) await noteMade(config)
  },
})

function countIn(keep: string): number {
  const count = /^\d{1,5}$/.test(keep) ? Number(keep) : 0
  if (count < 1 || count > maxKept) throw new WrongUsage(`--keep takes a number from 1 to ${maxKept}`)
  return count
}

async function write(config: Config, place: string, keep: number | undefined) {
  const show = progressOf()
  const onWriting = (share: number) => show('copying files', share)
  if (keep === undefined) {
    const { writeBackup } = await import('../../backup/write-backup.ts')
    return { file: place, removed: [], written: await writeBackup(config, place, onWriting) }
  }
  const { keepBackups } = await import('../../backup/keep-backups.ts')
  const onChecking = (share: number) => show('checking', share)
  const kept = await keepBackups(config, { folder: place, keep, now: new Date(), onWriting, onChecking })
  return { file: kept.file, removed: kept.removed, written: kept }
}

/** Explains to a person what the backup does not contain. */
function explainRest(config: Config, { header, manifest, notNoted }: Written): void {
  if (manifest.missing.length > 0)
    explain(`${manifest.missing.length} files were removed during the backup and are not in it`)
  if (header.media === 's3')
    explain('The larger files stay in the object storage: back up the bucket separately.')
  if (notNoted !== undefined)
    explain(`The backup could not be noted in the organizations' audit logs: ${notNoted}.`)
  const key =
    config.POSTHORN_MASTER_KEY === undefined
      ? (config.POSTHORN_MASTER_KEY_FILE ?? join(config.POSTHORN_DATA, 'master.key'))
      : 'the setting POSTHORN_MASTER_KEY'
  explain(
    `The backup does not contain the master key, without which the credentials in it cannot be opened: back up ${key} separately.`,
  )
}

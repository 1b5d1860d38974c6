import { join } from 'node:path'
import { readConfig } from '../../networks/config.ts'
import { command } from '../command.ts'
import { explain, print, progressOf } from '../output.ts'
import { refuseUnfit } from '../store.ts'

/** `posthorn backup`: one file with the store and its larger files, as they are at one moment. */
export const backup = command({
  name: 'backup',
  summary:
    'Write a backup of the store and its files to FILE, even while the server runs. It does not contain the master key.',
  operands: ['FILE'],
  async run({ operands: [file = ''] }) {
    const config = readConfig(process.env)
    if (config.POSTHORN_DATABASE_URL === undefined) await refuseUnfit(config)
    const { writeBackup } = await import('../../backup/write-backup.ts')
    const show = progressOf()
    const { header, manifest, notNoted } = await writeBackup(config, file, (share) =>
      show('copying files', share),
    )
    const { messages = 0, events = 0 } = manifest.rows
    print(`${file} contains ${messages} messages, ${events} events and ${manifest.files} larger files`)
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
  },
})

import { command } from '../command.ts'
import { print, progressOf, tableOf } from '../output.ts'

/** `posthorn check`: whether a backup is complete, and what it contains. */
export const checkCommand = command({
  name: 'check',
  summary: 'Read a backup from end to end, and report whether it is complete and what it contains.',
  operands: ['FILE'],
  async run({ operands: [file = ''] }) {
    const { checkBackup } = await import('../../backup/check-backup.ts')
    const show = progressOf()
    const { header, manifest } = await checkBackup(file, (share) => show('checking', share))
    print(
      `${file} is complete: written at ${header.made_at} by Posthorn ${header.posthorn}, epoch ${header.epoch}`,
    )
    const rows = Object.entries(manifest.rows)
    print(tableOf(rows, { Table: ([name]) => name, Rows: ([, count]) => String(count) }))
    print(
      header.media === 's3'
        ? 'The larger files stay in the object storage.'
        : `Larger files: ${manifest.files}`,
    )
  },
})

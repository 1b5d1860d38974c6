import type { Command } from '../command.ts'
import { print, printTable } from '../output.ts'
import { progressOf } from '../progress.ts'

/** `posthorn check`: whether a backup is complete, and what it contains. */
export const checkCommand: Command = {
  name: 'check',
  summary: 'Read a backup from end to end, and report whether it is complete and what it contains.',
  operands: ['FILE'],
  options: {},
  async run({ operands: [file = ''] }) {
    const { checkBackup } = await import('../../backup/check-backup.ts')
    const show = progressOf()
    const { header, manifest } = await checkBackup(file, (share) => show('checking', share))
    print(
      `${file} is complete: written at ${header.made_at} by Posthorn ${header.posthorn}, epoch ${header.epoch}`,
    )
    const rows = Object.entries(manifest.rows).map(([name, count]) => [name, String(count)])
    print(printTable(['Table', 'Rows'], rows))
    print(
      header.media === 's3'
        ? 'The larger files stay in the object storage.'
        : `Larger files: ${manifest.files}`,
    )
    return undefined
  },
}

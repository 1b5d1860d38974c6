import { allHeld } from '../../messages/outbox/recovery/held.ts'
import { readConfig } from '../../networks/config.ts'
import { lockDataFolder } from '../../store/server-lock.ts'
import { command, Refusal, WrongUsage } from '../command.ts'
import { explain, print, progressOf } from '../output.ts'
import { decideAll } from './queue.ts'

/** `posthorn restore`: the store of a backup in an empty place, with its queue held until the operator decides. */
export const restore = command({
  name: 'restore',
  summary: 'Restore the backup FILE into an empty data folder or database, while no server runs.',
  operands: ['FILE'],
  options: {
    queued: {
      type: 'string',
      value: 'hold|send|fail',
      description:
        'What to do with messages that were not settled in the backup and may have been sent since: hold them until you decide (the default), send them, or mark them as unknown.',
    },
    replace: {
      type: 'boolean',
      description:
        'Replace the existing store: one in SQLite is kept under another name, one in PostgreSQL is deleted.',
    },
  },
  async run({ operands: [file = ''], options }) {
    const queued = options.queued ?? 'hold'
    if (queued !== 'hold' && queued !== 'send' && queued !== 'fail')
      throw new WrongUsage(`--queued must be hold, send or fail, not "${queued}"`)
    const config = readConfig(process.env)
    const lock = await lockOf(config.POSTHORN_DATA)
    try {
      const { restoreBackup } = await import('../../backup/restore-backup.ts')
      const { header, held, aside } = await restoreBackup(config, file, {
        replace: options.replace === true,
        onProgress: progressOf(),
        async decide(store) {
          if (queued !== 'hold') await decideAll(store, await allHeld(store), queued)
        },
      })
      print(`the store is restored as it was at ${header.made_at}`)
      if (aside !== undefined)
        explain(`The previous store is kept as ${aside}; delete it when you no longer need it.`)
      if (held > 0)
        explain(
          `${held} messages are held, because they may have been sent since: decide with \`npx posthorn queue send\` or \`npx posthorn queue fail\`.`,
        )
      explain('Put the master key of that server in place if it is not there, then start the server.')
    } finally {
      lock.release()
    }
  },
})

async function lockOf(folder: string) {
  try {
    return lockDataFolder(folder)
  } catch (error) {
    throw new Refusal((error as Error).message)
  }
}

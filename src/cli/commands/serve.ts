import { command } from '../command.ts'

/** `posthorn serve`: the same as `npm start`, without looking whether something must be installed. */
export const serveCommand = command({
  name: 'serve',
  summary: 'Run the server until it is stopped.',
  options: {
    restored: {
      type: 'boolean',
      description:
        'The whole disk was restored from a snapshot: hold queued messages. Use it once, at the first start after that.',
    },
  },
  async run({ options }) {
    const { runProcess } = await import('../../gateway/process.ts')
    await runProcess({ restored: options.restored === true })
  },
})

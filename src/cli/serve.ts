import type { Command } from './command.ts'

/** `posthorn serve`: the same as `npm start`, without looking whether something must be installed. */
export const serveCommand: Command = {
  name: 'serve',
  summary: 'Run the server until it is told to stop.',
  operands: [],
  options: {},
  async run() {
    const { serve } = await import('../serve.ts')
    await serve()
    return undefined
  },
}

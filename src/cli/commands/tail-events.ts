import { type Command, json } from '../command.ts'
import { choiceOptions, eventLine, followEvents } from '../follow-events.ts'
import { explain, print } from '../output.ts'
import { serverClient, serverOptions } from '../server-client.ts'

/** `posthorn events tail`: the events as they happen, a line each. */
export const tailEvents: Command = {
  name: 'events tail',
  summary: 'Show the events of an organization as they happen, until interrupted.',
  operands: [],
  options: { ...choiceOptions, ...serverOptions, json },
  async run({ options }) {
    const { client, url } = serverClient(options)
    explain(`following the events of ${url}; end it with Ctrl-C`)
    const end = new AbortController()
    process.once('SIGINT', () => end.abort()).once('SIGTERM', () => end.abort())
    for await (const event of followEvents(client, options, end.signal))
      print(options.json ? JSON.stringify(event) : eventLine(event))
    return undefined
  },
}

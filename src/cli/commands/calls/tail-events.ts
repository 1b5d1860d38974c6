import { command, json } from '../../command.ts'
import { choiceOptions, eventLine, followEvents, untilInterrupted } from '../../follow-events.ts'
import { explain, print } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** `posthorn events tail`: the events as they happen, a line each. */
export const tailEvents = command({
  name: 'events tail',
  summary: 'Show the events of an organization as they happen, until interrupted.',
  options: { ...choiceOptions, ...serverOptions, json },
  async run({ options }) {
    const { client, url } = serverClient(options)
    explain(`following the events of ${url}; end it with Ctrl-C`)
    for await (const event of followEvents(client, options, untilInterrupted()))
      print(options.json ? JSON.stringify(event) : eventLine(event))
  },
})

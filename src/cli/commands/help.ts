import { type Command, command, synopsisOf } from '../command.ts'
import { print, tableOf } from '../output.ts'

/** `posthorn help`: what there is. */
export function helpCommand(commands: readonly Command[]): Command {
  return command({
    name: 'help',
    summary: 'Show this.',
    async run() {
      print(overview(commands))
    },
  })
}

/** Describes one command and its arguments. */
export function helpOf(command: Command): string {
  const options = Object.entries(command.options)
  const lines = [`usage: ${synopsisOf(command)}`, '', command.summary]
  const flagOf = ([flag, { value }]: (typeof options)[number]) =>
    `  --${flag}${value === undefined ? '' : ` ${value}`}`
  if (options.length > 0)
    lines.push('', tableOf(options, { Options: flagOf, '': ([, { description }]) => description }))
  return lines.join('\n')
}

function overview(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [`  ${synopsisOf(command)}`, `      ${command.summary}`])
  return [
    'Posthorn, a messaging gateway.',
    '',
    ...lines,
    '',
    'They take the same settings as the server: the environment variables POSTHORN_… and the file posthorn.conf, which',
    'docs/configuration.md lists. Those about organizations and keys work while the server runs. Those with --server work from any',
    'machine, once you have logged in to the server: docs/command-line.md.',
  ].join('\n')
}

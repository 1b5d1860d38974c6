import { type Command, synopsisOf } from '../command.ts'
import { print, printTable } from '../output.ts'

/** `posthorn help`: what there is. */
export function helpCommand(commands: readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'Show this.',
    operands: [],
    options: {},
    async run() {
      print(overview(commands))
      return undefined
    },
  }
}

/** Describes one command and its arguments. */
export function helpOf(command: Command): string {
  const options = Object.entries(command.options).map(([flag, { value, description }]) => [
    `  --${flag}${value === undefined ? '' : ` ${value}`}`,
    description,
  ])
  const lines = [`usage: ${synopsisOf(command)}`, '', command.summary]
  if (options.length > 0) lines.push('', printTable(['Options', ''], options))
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
    'docs/configuration.md lists. Those about organizations and keys work while the server runs.',
  ].join('\n')
}

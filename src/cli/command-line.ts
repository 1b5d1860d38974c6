import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { nearest } from '../runtime/text/suggest.ts'
import { type Command, Refusal, synopsisOf, WrongUsage } from './command.ts'
import { backup } from './commands/backup.ts'
import { contactCommands } from './commands/calls/contacts.ts'
import { conversationCommands } from './commands/calls/conversations.ts'
import { editCommand, reactCommand, retractCommand } from './commands/calls/follow-message.ts'
import { forwardEventsCommand } from './commands/calls/forward-events.ts'
import { groupCommands } from './commands/calls/groups.ts'
import {
  createInstanceCommand,
  deleteInstanceCommand,
  listInstancesCommand,
  orderCommands,
  showInstanceCommand,
} from './commands/calls/instances.ts'
import { linkCommand } from './commands/calls/link.ts'
import { listWebhooks } from './commands/calls/list-webhooks.ts'
import { listenWebhooks } from './commands/calls/listen-webhooks.ts'
import { logInCommand, logOutCommand } from './commands/calls/log-in.ts'
import {
  cancelMessageCommand,
  listMessagesCommand,
  readMessageCommand,
  showMessage,
} from './commands/calls/messages.ts'
import { migrateCommands } from './commands/calls/migrate.ts'
import { send } from './commands/calls/send.ts'
import { batchCommand } from './commands/calls/send-batch.ts'
import { statusCommand } from './commands/calls/status.ts'
import { tailEvents } from './commands/calls/tail-events.ts'
import { updateOrganizationCommand } from './commands/calls/update-organization.ts'
import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { consoleCommand } from './commands/console.ts'
import { createKey } from './commands/create-key.ts'
import { createOrganization } from './commands/create-organization.ts'
import { doctor } from './commands/doctor.ts'
import { helpCommand, helpOf } from './commands/help.ts'
import { listKeys } from './commands/list-keys.ts'
import { listOrganizations } from './commands/list-organizations.ts'
import { drainNode, listNodes } from './commands/nodes.ts'
import { failQueue, listQueue, sendQueue } from './commands/queue.ts'
import { restore } from './commands/restore.ts'
import { revokeKey } from './commands/revoke-key.ts'
import { serveCommand } from './commands/serve.ts'
import { versionCommand } from './commands/version.ts'
import { explain, print } from './output.ts'

const working: readonly Command[] = [
  serveCommand,
  consoleCommand,
  logInCommand,
  logOutCommand,
  listInstancesCommand,
  showInstanceCommand,
  createInstanceCommand,
  linkCommand,
  ...orderCommands,
  deleteInstanceCommand,
  send,
  batchCommand,
  listMessagesCommand,
  showMessage,
  reactCommand,
  editCommand,
  retractCommand,
  cancelMessageCommand,
  readMessageCommand,
  ...conversationCommands,
  ...contactCommands,
  ...groupCommands,
  createOrganization,
  listOrganizations,
  updateOrganizationCommand,
  createKey,
  listKeys,
  revokeKey,
  tailEvents,
  forwardEventsCommand,
  listWebhooks,
  listenWebhooks,
  ...migrateCommands,
  backup,
  checkCommand,
  restore,
  listQueue,
  sendQueue,
  failQueue,
  listNodes,
  drainNode,
  statusCommand,
  doctor,
]
const commands: readonly Command[] = [
  ...working,
  helpCommand(working),
  versionCommand,
  completionCommand(working),
]

/** Words that people type before they look anything up. */
const aliases = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
])

/** Commands by the words that other programs have for them. */
const otherWords = new Map([
  ['start', 'serve'],
  ['run', 'serve'],
  ['up', 'serve'],
  ['server', 'serve'],
  ['health', 'status'],
  ['qr', 'link'],
  ['pair', 'link'],
])

/** Runs the command that the arguments name and sets the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCommandLine(given: readonly string[]): Promise<void> {
  try {
    const words = given[0] === undefined ? [] : [aliases.get(given[0]) ?? given[0], ...given.slice(1)]
    const command = commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
    if (!command) throw unknown(words)
    // A reader of the result may have seen enough, as `head` has. The server goes on without its reader.
    if (command !== serveCommand) process.stdout.on('error', () => process.exit())
    await callWith(command, words.slice(command.name.split(' ').length))
  } catch (error) {
    process.exitCode = report(error as Error)
  }
}

async function callWith(command: Command, args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(helpOf(command))
  const { positionals, values } = parsed(command, args)
  const { operands, options } = command
  if (positionals.length !== operands.length) throw new WrongUsage(`usage: ${synopsisOf(command)}`)
  for (const [flag, { required }] of Object.entries(options)) {
    if (required && !values[flag]) throw new WrongUsage(`--${flag} is missing; usage: ${synopsisOf(command)}`)
  }
  await command.run({ operands: positionals, options: values })
}

function parsed(command: Command, args: readonly string[]) {
  const options: ParseArgsOptionsConfig = {}
  for (const [flag, { type }] of Object.entries(command.options)) options[flag] = { type }
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { positionals, values: values as Record<string, string | boolean | undefined> }
  } catch (error) {
    const what = (error as Error).message.split('. ')[0] ?? ''
    const [, flag = ''] = /^Unknown option '--([\w-]+)'/.exec(what) ?? []
    const meant = nearest(flag, [...Object.keys(command.options), 'help'])
    const usage = meant ? `did you mean \`--${meant}\`? Usage` : 'usage'
    throw new WrongUsage(`${what}; ${usage}: ${synopsisOf(command)}`)
  }
}

function unknown(words: readonly string[]): WrongUsage {
  const [first] = words
  if (first === undefined) return new WrongUsage('a command is missing; `npx posthorn help` lists them')
  const known = withWord(0, first)
  const meant = meantBy(words)
  if (known.length > 0 && meant.length !== 1)
    return new WrongUsage(`say which: ${known.map(({ name }) => `npx posthorn ${name}`).join(', ')}`)
  const given = known.length > 0 ? words.slice(0, 2).join(' ') : first
  const names = meant.map(({ name }) => `\`npx posthorn ${name}\``).join(', ')
  const question = meant.length > 0 ? `did you mean ${names}? ` : ''
  return new WrongUsage(`there is no command "${given}"; ${question}\`npx posthorn help\` lists them all`)
}

/** Returns the commands that may have been meant: by their first word, and by their second if that is near one, too. */
function meantBy([first = '', second = '']: readonly string[]): readonly Command[] {
  const inGroup = withWord(0, otherWords.get(first) ?? nearest(first, wordsAt(0, commands)))
  const exactly = withWord(1, nearest(second, wordsAt(1, inGroup)), inGroup)
  return exactly.length > 0 ? exactly : inGroup
}

const wordsAt = (at: 0 | 1, of: readonly Command[]) => of.flatMap(({ name }) => name.split(' ')[at] ?? [])

function withWord(at: 0 | 1, word: string | undefined, among = commands): readonly Command[] {
  return among.filter(({ name }) => word !== undefined && name.split(' ')[at] === word)
}

/** Errors that were written for people, by name: some of their classes are loaded only where they are needed. */
const forPeople = new Set([
  'Refusal',
  'ConfigError',
  'StoreUnavailable',
  'ProblemError',
  'UnexpectedResponseError',
])

function report(error: Error): 1 | 2 {
  explain(`posthorn: ${error.message}.`)
  if (error instanceof WrongUsage) return 2
  // A fault of ours, or of the machine: its place in the code helps those who look into it.
  if (!(error instanceof Refusal) && !forPeople.has(error.name)) explain(String(error.stack))
  return 1
}

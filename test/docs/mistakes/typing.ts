import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Mistake, types } from './mistake.ts'

/** Mistakes at the command line. */
export const typingMistakes: readonly Mistake[] = [
  {
    does: 'mistypes a command',
    act: types(['instance', 'list']),
    happened: /no command|unknown command/i,
    next: /did you mean .*instances list/i,
  },
  {
    does: 'says `start`, as other programs do',
    act: types(['start']),
    happened: /no command|unknown command/i,
    next: /serve/,
  },
  {
    does: 'mistypes an option',
    act: types(['instances', 'create', 'shop', '--netwrok', 'sandbox']),
    happened: /--netwrok/,
    next: /did you mean .*--network/i,
  },
  {
    does: 'types a command in a folder where no server has its data',
    act: types(['keys', 'list'], { POSTHORN_DATA: 'data', POSTHORN_LISTEN: '127.0.0.1:1' }),
    happened: /no (data|server|store|Posthorn)|not there|does not exist/i,
    next: /POSTHORN_DATA/,
  },
  {
    does: 'sends before the server runs',
    act: async (stage) => {
      const data = join(stage.folder, 'ended')
      mkdirSync(data)
      // All that a command needs to know of a server that runs no longer.
      for (const name of ['admin.key', 'server.url'])
        copyFileSync(join(stage.posthorn.data, name), join(data, name))
      return types(['send', 'trial', 'ana@reads.sandbox', '--text', 'Hello'], { POSTHORN_DATA: data })(stage)
    },
    happened: /no server runs/,
    next: /start/,
  },
  {
    does: 'logs in to a server over https that has only http',
    act: types(({ posthorn }) => [
      ...['login', posthorn.url.replace('http:', 'https:')],
      ...['--key-file', join(posthorn.data, 'admin.key')],
    ]),
    happened: /TLS|https/i,
    next: /http:\/\//,
  },
  {
    does: 'logs in to a server without saying http or https',
    act: types(['login', 'messages.example.org']),
    happened: /URL/,
    next: /https:\/\//,
  },
  {
    does: 'restores a backup that is not there',
    act: types(['restore', 'monday.backup'], { POSTHORN_DATA: join('restored', 'data') }),
    happened: /monday\.backup.*(no such file|not there|does not exist|cannot be read)/i,
    next: /name|path|posthorn backup|correct/i,
  },
]

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mistake, starts } from './mistake.ts'

const olderNode =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.11.0"}})'

/** Mistakes before the server runs: at its start, and in its settings. */
export const startingMistakes: readonly Mistake[] = [
  {
    does: 'starts it with the Node of an older system',
    act: starts({ flags: ['--import', olderNode] }),
    happened: /Node 20\.11\.0.* too old/,
    next: /npm start/,
  },
  {
    does: 'leaves the port out of POSTHORN_LISTEN',
    act: starts({ environment: { POSTHORN_LISTEN: '127.0.0.1' } }),
    happened: /POSTHORN_LISTEN/,
    next: /127\.0\.0\.1:8080/,
  },
  {
    does: 'gives a URL to POSTHORN_LISTEN',
    act: starts({ environment: { POSTHORN_LISTEN: 'http://127.0.0.1:8080' } }),
    happened: /POSTHORN_LISTEN/,
    next: /127\.0\.0\.1:8080/,
  },
  {
    does: 'starts it on a port that another program has',
    act: starts(({ posthorn }) => ({ environment: { POSTHORN_LISTEN: new URL(posthorn.url).host } })),
    happened: /another program listens on port \d+|in use|taken/,
    next: /POSTHORN_LISTEN/,
  },
  {
    does: 'names a file as the data folder',
    act: starts(({ folder }) => {
      const data = join(folder, 'notes.txt')
      writeFileSync(data, 'my notes')
      return { data }
    }),
    happened: /notes\.txt.*(file|folder)/,
    next: /POSTHORN_DATA/,
  },
  {
    does: 'starts a second server on the same data folder',
    act: starts(({ posthorn }) => ({ data: posthorn.data })),
    happened: /another .*server is running on the data folder/,
    next: /stop|POSTHORN_DATA/,
  },
  {
    does: 'uses a password as the master key',
    act: starts({ environment: { POSTHORN_MASTER_KEY: 'correct-horse' } }),
    happened: /POSTHORN_MASTER_KEY/,
    next: /openssl rand -hex 32|64 hex/,
  },
  {
    does: 'mistypes the name of a setting',
    act: starts({ environment: { POSTHORN_LISTN: '127.0.0.1:8080' } }),
    happened: /POSTHORN_LISTN/,
    next: /did you mean POSTHORN_LISTEN\?/i,
  },
  {
    does: 'gives a unit with a number of days',
    act: starts({ environment: { POSTHORN_EVENT_RETENTION_DAYS: '30d' } }),
    happened: /POSTHORN_EVENT_RETENTION_DAYS/,
    next: /(whole )?number.*(such as|from|between|at least|\d)/,
  },
  {
    does: 'gives POSTHORN_BASE_URL without https://',
    act: starts({ environment: { POSTHORN_BASE_URL: 'messages.example.org' } }),
    happened: /POSTHORN_BASE_URL/,
    next: /https:\/\//,
  },
  {
    does: 'names a database that is not PostgreSQL',
    act: starts({ environment: { POSTHORN_DATABASE_URL: 'mysql://root@127.0.0.1/posthorn' } }),
    happened: /POSTHORN_DATABASE_URL/,
    next: /postgres(ql)?:\/\//,
  },
  {
    does: 'names a file of settings that is not there',
    act: starts({ environment: { POSTHORN_CONFIG: '/etc/posthorn/nowhere.conf' } }),
    happened: /nowhere\.conf.*(no such file|not there|does not exist|cannot be read)/,
    next: /POSTHORN_CONFIG|create|correct/,
  },
  {
    does: 'writes the settings in YAML',
    act: starts(({ folder }) => {
      const path = join(folder, 'settings.yaml')
      writeFileSync(path, 'POSTHORN_LISTEN: 127.0.0.1:8080\n')
      return { environment: { POSTHORN_CONFIG: path } }
    }),
    happened: /settings\.yaml.*line 1|line 1.*settings\.yaml/,
    next: /NAME=value|POSTHORN_\w+ ?= ?\S+/,
  },
  {
    does: 'allows a receiver by its name, and not by its address',
    act: starts({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: 'localhost' } }),
    happened: /POSTHORN_WEBHOOK_ALLOW_CIDRS/,
    next: /127\.0\.0\.0\/8|10\.0\.0\.0\/8|\d+\.\d+\.\d+\.\d+\/\d+/,
  },
  {
    does: 'trusts a proxy by its name, and not by its address',
    act: starts({ environment: { POSTHORN_TRUSTED_PROXIES: 'nginx' } }),
    happened: /POSTHORN_TRUSTED_PROXIES/,
    next: /\d+\.\d+\.\d+\.\d+(\/\d+)?/,
  },
  {
    does: 'starts it with a word that only `posthorn` takes',
    act: starts({ words: ['serve'] }),
    happened: /no argument/,
    next: /docs\/configuration\.md|npx posthorn/,
  },
  {
    does: 'keeps the files of the tokens in a folder that does not exist',
    act: starts(({ folder }) => {
      mkdirSync(join(folder, 'secrets'), { recursive: true })
      return { environment: { POSTHORN_OPERATOR_TOKEN_FILE: join(folder, 'secrets', 'token') } }
    }),
    happened: /POSTHORN_OPERATOR_TOKEN_FILE.*(no such file|not there|does not exist|cannot be read)/,
    next: /create|correct|name|write/,
  },
]

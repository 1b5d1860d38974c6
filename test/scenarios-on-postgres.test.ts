import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type PostgresForTests, startPostgres } from './kit/postgres.ts'
import { endWithUs } from './kit/processes/end-with-us.ts'

/** Scenarios to which another store would add nothing, by what they do. */
const embeddedOnly: Readonly<Record<string, readonly string[]>> = {
  'bring a PostgreSQL of their own': [
    'backup',
    'command-line',
    'gone-readers',
    'incoming-store-away',
    'lease',
    'starting',
  ],
  'start processes as people do, on the data folder, to see how they begin, end and what others can do to them':
    [
      'callback-fuzz',
      'console-command',
      'demo',
      'first-start',
      'follow-events',
      'frozen-server',
      'hostile-networks',
      'incoming-kill',
      'install',
      'kill',
      'kill-audit',
      'kill-callbacks',
      'kill-files',
      'kill-shared-callback',
      'kill-telegram',
      'kill-webhooks',
      'kill-whatsapp',
      'kill-whatsapp-cloud',
      'optional-packages',
      'slow-listeners',
      'strangers',
      'webhook-operator',
      'whatsapp-crashes',
      'whatsapp-trust',
      'xmpp-conversation',
    ],
  'break, lock or search the files of the data folder': [
    'locked-file',
    'release',
    'secrets',
    'store-failures',
    'unreadable-secrets',
    'whatsapp-receiving-promise',
  ],
  'are about requests and their answers: their form, their host, and how many there may be': [
    'address-rate',
    'console-link-page',
    'head',
    'hostile-connections',
    'hostile-files',
    'hostile-requests',
    'hostile-uploads',
    'hosts',
    'last-answers',
    'voice-queue',
  ],
  'are about documents, and those who follow them': [
    'docs-whatsapp',
    'docs-whatsapp-cloud',
    'examples',
    'readme-telegram',
    'reference',
  ],
  'are about what passes between a driver and its network, or the places that files come from; what is stored of it is the same in scenarios that run here':
    [
      'connect-rate',
      'dripping-files',
      'pacing',
      'private-places',
      'restored-xmpp',
      'telegram-kinds',
      'whatsapp-bombs',
      'whatsapp-cloud-codes',
      'whatsapp-cloud-file-codes',
      'whatsapp-groups',
      'whatsapp-link',
      'whatsapp-media',
      'whatsapp-proxies',
      'whatsapp-sending',
      'whatsapp-workers',
      'whatsapp-zapo',
      'xmpp-meanings',
      'xmpp-media',
    ],
}

const folder = new URL('scenarios/', import.meta.url)
const all = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))
const left = new Set(Object.values(embeddedOnly).flatMap((names) => names.map((name) => `${name}.test.ts`)))
const scenarios = all.filter((name) => !left.has(name))

test('every scenario that does not run here exists', () => {
  assert.deepEqual(
    [...left].filter((name) => !all.includes(name)),
    [],
  )
})

// Two at a time: each waits most of its time.
describe('the same scenarios, with everything kept in PostgreSQL', { concurrency: 2 }, () => {
  let postgres: PostgresForTests

  before(async () => {
    postgres = await startPostgres({ max_connections: '200' })
  })
  after(async () => {
    if (postgres.available) await postgres.server.stop()
  })

  for (const name of scenarios) {
    test(name, async (context) => {
      if (!postgres.available) return context.skip(postgres.reason)
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env
      const child = spawn(process.execPath, [new URL(name, folder).pathname], {
        env: { ...environment, POSTHORN_TEST_POSTGRES: postgres.server.url('postgres') },
        stdio: ['ignore', 'pipe', 'inherit'],
        // It ends with a test that was given up.
        signal: context.signal,
      })
      endWithUs(child)
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
      const [code] = await once(child, 'exit')
      assert.equal(code, 0, output)
    })
  }
})

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
    'operating/backup',
    'operating/command-line',
    'hostile/gone-readers',
    'receiving/incoming-store-away',
    'operating/lease',
    'operating/starting',
  ],
  'start processes as people do, on the data folder, to see how they begin, end and what others can do to them':
    [
      'hostile/callback-fuzz',
      'console/command',
      'operating/demo',
      'operating/first-start',
      'webhooks/follow-events',
      'crash/frozen-server',
      'hostile/hostile-networks',
      'crash/incoming-kill',
      'operating/install',
      'crash/kill',
      'crash/kill-audit',
      'crash/kill-callbacks',
      'crash/kill-files',
      'crash/kill-shared-callback',
      'crash/kill-telegram',
      'crash/kill-webhooks',
      'crash/kill-whatsapp',
      'crash/kill-whatsapp-cloud',
      'operating/optional-packages',
      'webhooks/slow-listeners',
      'hostile/strangers',
      'webhooks/webhook-operator',
      'networks/whatsapp/crashes',
      'networks/whatsapp/trust',
      'networks/xmpp/conversation',
    ],
  'break, lock or search the files of the data folder': [
    'crash/locked-file',
    'operating/release',
    'hostile/secrets',
    'crash/store-failures',
    'hostile/unreadable-secrets',
    'networks/whatsapp/receiving-promise',
  ],
  'are about requests and their answers: their form, their host, and how many there may be': [
    'hostile/address-rate',
    'console/link-page',
    'operating/head',
    'hostile/hostile-connections',
    'hostile/hostile-files',
    'hostile/hostile-requests',
    'hostile/hostile-uploads',
    'accounts/hosts',
    'crash/last-answers',
    'sending/voice-queue',
  ],
  'are about documents, and those who follow them': [
    'operating/docs-whatsapp',
    'operating/docs-whatsapp-cloud',
    'operating/examples',
    'operating/readme-telegram',
    'operating/reference',
  ],
  'are about what passes between a driver and its network, or the places that files come from; what is stored of it is the same in scenarios that run here':
    [
      'hostile/connect-rate',
      'hostile/dripping-files',
      'sending/pacing',
      'hostile/private-places',
      'operating/restored-xmpp',
      'networks/telegram/kinds',
      'networks/whatsapp/bombs',
      'networks/whatsapp-cloud/codes',
      'networks/whatsapp-cloud/file-codes',
      'networks/whatsapp/sending/groups',
      'networks/whatsapp/link',
      'networks/whatsapp/sending/media',
      'networks/whatsapp/proxies',
      'networks/whatsapp/sending/texts',
      'networks/whatsapp/workers',
      'networks/whatsapp/zapo',
      'networks/xmpp/meanings',
      'networks/xmpp/media',
    ],
}

const folder = new URL('scenarios/', import.meta.url)
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
)
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

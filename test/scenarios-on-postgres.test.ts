import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type PostgresForTests, startPostgres } from './kit/postgres.ts'

/** Scenarios that are about the data folder, about a process, or about nothing that a store could change, or that bring their own. */
const embeddedOnly = new Set([
  'backup.test.ts',
  'callback-fuzz.test.ts',
  'command-line.test.ts',
  'first-start.test.ts',
  'follow-events.test.ts',
  'hostile-connections.test.ts',
  'hostile-files.test.ts',
  'hostile-networks.test.ts',
  'hostile-requests.test.ts',
  'hostile-uploads.test.ts',
  'incoming-kill.test.ts',
  'incoming-store-away.test.ts',
  'kill-audit.test.ts',
  'kill-callbacks.test.ts',
  'kill-files.test.ts',
  'kill-shared-callback.test.ts',
  'kill-telegram.test.ts',
  'kill-webhooks.test.ts',
  'kill-whatsapp-cloud.test.ts',
  'kill.test.ts',
  'last-answers.test.ts',
  'lease.test.ts',
  'locked-file.test.ts',
  'pacing.test.ts',
  'reference.test.ts',
  'restored-xmpp.test.ts',
  'secrets.test.ts',
  'slow-listeners.test.ts',
  'starting.test.ts',
  'store-failures.test.ts',
  'strangers.test.ts',
  'unreadable-secrets.test.ts',
  'voice-queue.test.ts',
  'webhook-operator.test.ts',
  'whatsapp-receiving-promise.test.ts',
  'xmpp-conversation.test.ts',
])

const folder = new URL('scenarios/', import.meta.url)
const scenarios = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && !embeddedOnly.has(name))

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
      })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
      const [code] = await once(child, 'exit')
      assert.equal(code, 0, output)
    })
  }
})

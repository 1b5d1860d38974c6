import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../contract/operations/node-operations.ts'
import { findingsIn, type HiddenFacts } from './health-findings.ts'

const now = Date.UTC(2026, 10, 28)
const gigabyte = 1024 ** 3
const well = {
  status: 'ok' as const,
  disk: { free_bytes: 500 * gigabyte, size_bytes: 1000 * gigabyte },
  queue: { messages: 3, oldest_seconds: 4_000, overdue_seconds: 600, held: 0 },
  webhooks: { pending: 1, oldest_seconds: 900, failing: 1, disabled: 0 },
  instances: { connected: 5, reconnecting: 1, stopped: 1 },
}
const node = (status: Node['status'], version = '1.0.0') => ({ status, version }) as Node
const setup = {
  isInTheOpen: false,
  isOnNetworkFileSystem: false,
  keepsFilesInFolder: true,
  lacksVoicePrograms: false,
}
const hidden: HiddenFacts = {
  now,
  isTrusted: true,
  lastBackupAt: now - 86_400_000,
  webhooksFailingLong: 0,
  exhaustedOrganizations: 0,
  nodes: [node('running'), node('gone', '0.9.0')],
  clockAhead: -4_000,
  hasConfirmingStandbys: true,
  openPaths: 0,
  setup,
}
const codes = (shown: Partial<typeof well> | object, facts: Partial<HiddenFacts> = {}) =>
  findingsIn({ ...well, ...shown }, { ...hidden, ...facts }).map(({ code }) => code)

test('a server that is well has no findings, also at the limits, and when little is known', () => {
  assert.deepEqual(codes({}), [])
  assert.deepEqual(codes({ disk: null, queue: null, webhooks: null, instances: {} }), [])
  assert.deepEqual(codes({}, { lastBackupAt: undefined, nodes: [] }), [])
})

test('each fact that needs a person is found', () => {
  const disk = (free: number, size: number) => ({ disk: { free_bytes: free, size_bytes: size } })
  const found: readonly (readonly [string, string[]])[] = [
    ['disk_low', codes(disk(9 * gigabyte, 100 * gigabyte))],
    ['disk_low', codes(disk(0.5 * gigabyte, gigabyte))],
    ['disk_full', codes(disk(1.9 * gigabyte, 100 * gigabyte))],
    ['disk_full', codes(disk(99 * 1024 ** 2, gigabyte))],
    ['node_not_trusted', codes({ status: 'store_unavailable' }, { isTrusted: false })],
    ['store_unavailable', codes({ status: 'store_unavailable' })],
    ['storage_full', codes({ status: 'storage_full' })],
    ['store_corrupt', codes({ status: 'store_corrupt' })],
    ['store_replaced', codes({ status: 'store_replaced' })],
    ['messages_held', codes({ queue: { ...well.queue, held: 1 } })],
    ['queue_overdue', codes({ queue: { ...well.queue, overdue_seconds: 601 } })],
    ['instances_need_person', codes({ instances: { failed: 1, logged_out: 2 } })],
    ['webhooks_behind', codes({ webhooks: { ...well.webhooks, oldest_seconds: 901 } })],
    ['webhooks_failing', codes({}, { webhooksFailingLong: 1 })],
    ['webhooks_disabled', codes({ webhooks: { ...well.webhooks, disabled: 2 } })],
    ['quotas_exhausted', codes({}, { exhaustedOrganizations: 1 })],
    ['backup_old', codes({}, { lastBackupAt: now - 2 * 86_400_000 - 1 })],
    ['backup_missing', codes({}, { lastBackupAt: null })],
    ['nodes_silent', codes({}, { nodes: [node('running'), node('silent')] })],
    ['clocks_differ', codes({}, { clockAhead: 5_001 })],
    ['standbys_unconfirmed', codes({}, { hasConfirmingStandbys: false })],
    ['folder_open', codes({}, { openPaths: 1 })],
    ['listening_in_the_open', codes({}, { setup: { ...setup, isInTheOpen: true } })],
    ['network_file_system', codes({}, { setup: { ...setup, isOnNetworkFileSystem: true } })],
    ['voice_notes_off', codes({}, { setup: { ...setup, lacksVoicePrograms: true } })],
    ['files_on_one_node', codes({}, { nodes: [node('running'), node('draining')] })],
  ]
  for (const [code, codesFound] of found) assert.deepEqual(codesFound, [code])
  const others = [node('running'), node('running', '1.1.0')]
  const inOnePlace = { ...setup, keepsFilesInFolder: false }
  assert.deepEqual(codes({}, { nodes: others, setup: inOnePlace }), ['versions_differ'])
})

test('the most severe findings come first, with how many and since when', () => {
  const shown = { ...well, status: 'storage_full' as const, instances: { failed: 1, logged_out: 2 } }
  const webhooks = { ...well.webhooks, oldest_seconds: 3_600 }
  const findings = findingsIn({ ...shown, webhooks }, { ...hidden, lastBackupAt: null })
  assert.deepEqual(
    findings.map(({ severity, code, count, since }) => [severity, code, count, since]),
    [
      ['critical', 'storage_full', null, null],
      ['warning', 'instances_need_person', 3, null],
      ['warning', 'webhooks_behind', null, '2026-11-27T23:00:00.000Z'],
      ['notice', 'backup_missing', null, null],
    ],
  )
})

import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Account } from '../../../test/conformance/networks/harness.ts'
import { Session } from '../../../test/conformance/networks/session.ts'
import { httpForTests } from '../../../test/kit/networks/http.ts'
import { memoryKeys } from '../../../test/kit/networks/memory-keys.ts'
import { newMessageId } from '../../../test/kit/networks/new-message-id.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import type { SealedCredentials, Settings } from '../driver/account.ts'
import type { DriverConnection } from '../driver/connection.ts'
import { accepted } from '../driver/outcome.ts'
import { sandbox } from './driver.ts'
import { connectionScripts, linkSteps, refusedToken } from './script.ts'

const now = 1_800_000_000_000
const driver = sandbox()

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now }))
afterEach(() => mock.timers.reset())

function connect(
  settings: Settings,
  credentials: SealedCredentials = {},
  saved = new Map<Account, SealedCredentials>(),
): Session {
  const account = { settings, credentials, secrets: [] }
  return new Session({ driver, account, timeout_ms: 60_000, saved, sent: new Set() })
}

/** Returns the reports of a connection, in short, after so many seconds more. */
async function after(session: Session, seconds: number): Promise<string> {
  await setImmediate()
  mock.timers.tick(seconds * 1000)
  await setImmediate()
  return session.observations.all.map((observation) => observation.kind).join(' ')
}

const opened = 'connection-opened account-known'

/** Reports of each connection before and after its time, written down a second time by hand. */
const expected: Readonly<Record<string, readonly [first: string, then: string]>> = {
  connects: ['', opened],
  refuses_credentials: ['', 'credentials-refused'],
  refuses_client: ['', 'connection-refused'],
  unreachable: ['', 'connection-lost'],
  drops: [opened, `${opened} connection-lost`],
  goes_silent: [opened, opened],
  logs_out: [opened, `${opened} credentials-refused`],
  restricts: [opened, `${opened} restriction`],
}

test('every documented connection is expected to do something', () => {
  assert.deepEqual(
    connectionScripts.map((script) => script.behaviour),
    Object.keys(expected),
  )
})

for (const [behaviour, [first, then]] of Object.entries(expected)) {
  test(`a connection that ${behaviour} does so after its time`, async () => {
    const session = connect({ behaviour, after_seconds: 7 })
    assert.equal(await after(session, 6.999), first)
    assert.equal(await after(session, 0.001), then)
    await session.close()
    assert.deepEqual(session.faults, [])
  })
}

test('by default a connection opens at once and knows its account', async () => {
  const session = connect({})
  assert.equal(await after(session, 0), opened)
  assert.equal((await session.seen('account-known')).address, 'sandbox@delivers.sandbox')
  const shop = connect({ account: 'shop' })
  assert.equal((await shop.seen('account-known')).address, 'shop@delivers.sandbox')
})

test('any token opens, except the word that stands for wrong ones', async () => {
  assert.equal(await after(connect({}, { token: 'open-sesame' }), 0), opened)
  assert.equal(await after(connect({ link: 'qr' }, { token: refusedToken }), 0), 'credentials-refused')
})

test('a silent connection answers neither probes nor messages until it ends', async () => {
  const session = connect({ behaviour: 'goes_silent', after_seconds: 1 })
  await after(session, 1)
  session.connection.probe()
  let answer = 'none'
  const sending = session.send('ana@delivers.sandbox', 'hello').then((outcome) => {
    answer = outcome.kind
  })
  assert.equal(await after(session, 50), opened)
  assert.equal(answer, 'none')
  await session.close()
  await sending
  assert.equal(answer, 'uncertain')
})

test('a restricted account defers messages until the restriction ends', async () => {
  const session = connect({ behaviour: 'restricts', after_seconds: 1 })
  await after(session, 1)
  const { restriction } = await session.seen('restriction')
  const ends_at = now + 61_000
  const { detail, ...rest } = restriction ?? assert.fail()
  assert.match(detail, /^The sandbox/)
  assert.deepEqual(rest, { code: 'sandbox_quota', scope: 'all_messages', since: now + 1000, ends_at })
  const outcome = await session.send('ana@delivers.sandbox', 'hello')
  assert.ok(outcome.kind === 'deferred' && outcome.until === ends_at)
  assert.equal(await after(session, 60), `${opened} restriction restriction`)
  assert.equal(session.observations.all.at(-1)?.kind, 'restriction')
  assert.equal((await session.send('ana@delivers.sandbox', 'hello')).kind, 'accepted')
  await session.close()
})

for (const [link, shape] of [
  ['qr', /^sandbox-link:[A-Z2-9]{24}$/],
  ['code', /^[A-Z2-9]{4}-[A-Z2-9]{4}$/],
  ['url', /^https:\/\/sandbox\.invalid\/link\/[A-Z2-9]{24}$/],
] as const) {
  test(`linking by ${link} shows steps, keeps a token and opens; the next connection opens by itself`, async () => {
    const saved = new Map<Account, SealedCredentials>()
    const settings = { link, links_after_seconds: 30 }
    const session = connect(settings, {}, saved)
    assert.equal(await after(session, 0), 'link-step')
    assert.equal(await after(session, 20), 'link-step link-step')
    const steps = session.observations.all.flatMap((seen) => (seen.kind === 'link-step' ? [seen.step] : []))
    assert.ok(steps.every((step) => step.kind === link && shape.test(step.value)))
    assert.deepEqual(
      steps.map((step) => step.expires_at),
      [now + 20_000, now + 40_000],
    )
    const reported = `link-step link-step ${opened}`
    assert.equal(await after(session, 10), reported)
    assert.equal(await after(session, 3600), reported, 'no step follows the link')
    const [kept] = saved.values()
    assert.match(String(kept?.token), /^linked-/)
    assert.equal(await after(connect(settings, kept), 0), opened)
  })
}

test('a link that nobody uses expires after its steps', async () => {
  const session = connect({ link: 'code', links_after_seconds: 1000, link_step_seconds: 2 })
  const steps = Array<string>(linkSteps).fill('link-step').join(' ')
  for (let step = 0; step < linkSteps; step++) await after(session, 2)
  assert.equal(await after(session, 0), `${steps} link-expired`)
  assert.equal(await after(session, 2000), `${steps} link-expired`)
})

test('a link that cannot be kept is a lost connection', async () => {
  const session = connect(
    { link: 'qr' },
    {},
    new (class extends Map<Account, SealedCredentials> {
      override set(): this {
        throw new Error('another node owns the instance')
      }
    })(),
  )
  assert.equal(await after(session, 5), 'link-step connection-lost')
})

test('a transcript that cannot be written leaves the message uncertain', async () => {
  const account = { settings: {}, credentials: {}, secrets: [] }
  const nowhere = sandbox({ transcript: '/dev/full' })
  const session = new Session({
    driver: nowhere,
    account,
    timeout_ms: 1000,
    saved: new Map(),
    sent: new Set(),
  })
  await session.seen('connection-opened')
  const outcome = await session.send('ana@delivers.sandbox', 'hello')
  assert.equal(outcome.kind, 'uncertain')
})

test('no timer and no listener survives the end of a connection', async () => {
  for (const end of ['close', 'abort'] as const) {
    const session = connect({ behaviour: 'drops', after_seconds: 10 })
    await after(session, 0)
    const sending = session.send('ana@slow.sandbox', 'hello')
    await session[end]()
    assert.equal((await sending).kind, 'uncertain')
    assert.equal(await after(session, 3600), opened)
    assert.deepEqual(session.faults, [])
  }
})

test('a confirmation never comes before whoever sent has the answer', async () => {
  const events: string[] = []
  const connection: DriverConnection = driver.connect({
    instance: 'inst_1',
    epoch: 1,
    settings: {},
    credentials: { read: () => ({}), save: async () => {} },
    report: async (observation) => events.push(observation.kind) > 0,
    keys: memoryKeys(),
    wantsTyping: () => false,
    stored: { upTo: async () => null, has: async () => false },
    signal: new AbortController().signal,
    http: httpForTests,
    share: sharesForTests().of('org_1'),
    clock: { now: () => now, monotonic: () => 0 },
    random: () => 0,
    log: (await import('../../runtime/log.ts')).silentLog,
  })
  await setImmediate()
  const id = newMessageId()
  const send = async () => connection.send({ id, to: 'ana@delivers.sandbox', kind: 'text', text: 'hello' }, 1)
  assert.deepEqual(await send(), accepted)
  events.push('answer')
  await setImmediate()
  assert.deepEqual(events.slice(-2), ['answer', 'receipt'])
})

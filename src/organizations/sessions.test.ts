import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freshFolder, testConfig } from '../../test/kit/posthorn.ts'
import { rowsIn } from '../../test/kit/rows.ts'
import { openStore } from '../gateway/open-store.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import { digestOf } from '../runtime/secrets/token.ts'
import type { Store } from '../store/store.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './key-store.ts'
import { newApiKey } from './keys.ts'
import { createOrganization } from './organization-store.ts'
import { findAdminKey, forgetSessions } from './session-store.ts'
import { SessionStore } from './sessions.ts'
import { makeSignInLink } from './sign-in-link.ts'

/* Lifetimes of sessions and codes, on a clock that passes only when a test says so. */

const data = freshFolder()
const [minute, hour, day] = [60_000, 60 * 60_000, 24 * 60 * 60_000]
const acme = newId('org')
const origin = { address: null, requestId: newId('req') }
const operatorToken = `pho_${'0'.repeat(52)}`
let store: Store
let now = 0
let sessions: SessionStore
const clock: Clock = { now: () => now, monotonic: () => now }

before(async () => {
  store = await openStore(testConfig(data))
  await store.transact(createOrganization, { id: acme, name: 'acme', created_at: 1 })
})

after(async () => {
  await store.close()
  rmSync(data, { recursive: true, force: true })
})

beforeEach(() => {
  now = 10 * day
  sessions = new SessionStore(store, clock, operatorToken)
})

async function newKey(limits: { expires_at?: number; instance_names?: string } = {}) {
  const { digest, hint } = newApiKey()
  const id = newId('key')
  const row = { id, organization_id: acme, digest, hint, role: 'admin', created_at: 1 } as const
  const key = { expires_at: null, instance_names: null, ...row, ...limits }
  await store.transact(createApiKey, { key })
  const caller = { organizationId: 'org', keyId: id, keyHint: hint, role: 'admin', instances: null } as const
  return { id, signIn: async () => (await sessions.signIn(caller, origin)) ?? assert.fail('the key is gone') }
}

const ask = (token: string) => sessions.identify(token, true)
const isLiving = async (token: string) => (await ask(token)) !== undefined
const stored = () => rowsIn<{ digest: string; owner: string }>(data, 'select * from sessions')
const endOf = async (token: string) =>
  Number(
    (
      await rowsIn<{ expires_at: number }>(
        data,
        `select expires_at from sessions where digest = '${digestOf(token)}'`,
      )
    )[0]?.expires_at,
  )

/** Sessions, and how often they asked the store. */
function sessionsThatCount() {
  const counted = { reads: 0, writes: 0 }
  const counting = Object.assign(Object.create(store) as Store, {
    read: ((...args) => {
      counted.reads++
      return store.read(...args)
    }) as Store['read'],
    transact: ((...args) => {
      counted.writes++
      return store.transact(...args)
    }) as Store['transact'],
  })
  return { sessions: new SessionStore(counting, clock, operatorToken), count: () => counted }
}

/** Uses a session, and waits until it is stored that it lasts until so much later. */
async function use(token: string, until: number): Promise<void> {
  assert.ok(await isLiving(token))
  while ((await endOf(token)) !== until) await setImmediate()
}

test('a guess at a code or a session only reads', async () => {
  const used = sessionsThatCount()
  const guess = '0'.repeat(52)
  assert.equal(await used.sessions.signInByCode(guess, origin), undefined)
  assert.equal(await used.sessions.identify(guess, true), undefined)
  assert.equal(await used.sessions.signOut(guess, 'all', origin), false)
  assert.deepEqual(used.count(), { reads: 3, writes: 0 })
})

test('a session ends after twelve hours without use', async () => {
  const token = await (await newKey()).signIn()
  now += 12 * hour - 1
  assert.ok(await sessions.identify(token, false), 'who only looks whether it lives does not use it')
  now += 1
  assert.equal(await ask(token), undefined)
})

test('a session that is used ends after seven days, to the millisecond, although it is believed for a second', async () => {
  const begun = now
  const token = await (await newKey()).signIn()
  while (now < begun + 7 * day - 6 * hour) {
    now += 6 * hour
    await use(token, Math.min(now + 12 * hour, begun + 7 * day))
  }
  now = begun + 7 * day - 1
  assert.ok(await isLiving(token))
  now += 1
  assert.equal(await ask(token), undefined)
})

test('using a session costs a write every five minutes, and counts as using its key', async () => {
  const begun = now
  const key = await newKey()
  const token = await key.signIn()
  now += 4 * minute
  assert.ok(await isLiving(token))
  assert.equal(await endOf(token), begun + 12 * hour)
  now += hour
  await use(token, now + 12 * hour)
  const keys = await store.read(listApiKeys, { organization: null })
  assert.equal(keys.find(({ id }) => id === key.id)?.last_used_at, now)
})

test('a session of a revoked key is believed for a second at most', async () => {
  const key = await newKey()
  const token = await key.signIn()
  assert.ok(await isLiving(token))
  await store.transact(revokeApiKey, { id: key.id, now })
  now += 999
  assert.ok(await isLiving(token))
  now += 1
  assert.equal(await ask(token), undefined)
})

test('nothing is left of the sessions and codes of a revoked key', async () => {
  const [key, other] = [await newKey(), await newKey()]
  for (const { id, signIn } of [key, other]) {
    await signIn()
    await newCode(id)
  }
  await store.transact(revokeApiKey, { id: key.id, now })
  for (const table of ['sessions', 'sign_in_codes']) {
    const kept = await rowsIn<{ owner: string }>(data, `select owner from ${table}`)
    assert.ok(kept.every(({ owner }) => owner !== key.id))
    assert.ok(kept.some(({ owner }) => owner === other.id))
  }
})

test('a session is over ten minutes after its key has expired, and using it does not change that', async () => {
  const expires_at = now + hour
  const token = await (await newKey({ expires_at })).signIn()
  assert.equal(await endOf(token), expires_at + 10 * minute)
  now += 30 * minute
  assert.ok(await isLiving(token))
  now = expires_at
  assert.equal(await ask(token), 'expired')
  now += 10 * minute
  assert.equal(await ask(token), undefined)
})

test('a session that ends while somebody asks about it is not believed any longer', async () => {
  const token = await (await newKey()).signIn()
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let asking = 0
  const slow = async (...args: Parameters<Store['read']>) => {
    const isFirst = ++asking === 1
    const answer = await store.read(...args)
    if (isFirst) await held
    return answer
  }
  const transact = store.transact.bind(store)
  sessions = new SessionStore({ transact, read: slow } as unknown as Store, clock, operatorToken)
  const asked = sessions.identify(token, false)
  await sessions.signOut(token, 'one', origin)
  letGo()
  await asked
  assert.equal(await ask(token), undefined)
})

test('a key that was revoked a moment ago signs nobody in', async () => {
  const key = await newKey()
  await store.transact(revokeApiKey, { id: key.id, now })
  await assert.rejects(key.signIn(), /the key is gone/)
})

test('a session ends with its key, to the millisecond', async () => {
  const token = await (await newKey({ expires_at: now + 500 })).signIn()
  now += 499
  assert.ok(await isLiving(token))
  now += 1
  assert.equal(await ask(token), 'expired')
})

test('the 101st session of a key ends the oldest, and no other key', async () => {
  const [key, other] = [await newKey(), await newKey()]
  const others = await other.signIn()
  const tokens: string[] = []
  for (let count = 0; count < 101; count++) {
    now += 1
    tokens.push(await key.signIn())
  }
  now += 1_000
  assert.equal(await ask(tokens[0] as string), undefined)
  assert.ok(await isLiving(tokens[1] as string))
  assert.ok(await isLiving(others))
})

test('what is stored is not what the browser has', async () => {
  const token = await (await newKey()).signIn()
  const rows = JSON.stringify(await stored())
  assert.ok(rows.includes(digestOf(token)))
  assert.ok(!rows.includes(token))
})

/** The code in a new link. */
async function newCode(owner: string): Promise<string> {
  const link = await makeSignInLink(store, { owner, baseUrl: 'http://localhost', now })
  return link?.split('#code=')[1] ?? assert.fail('there is no link')
}

test('a code works for ten minutes', async () => {
  const { id } = await newKey()
  const [code, late] = [await newCode(id), await newCode(id)]
  now += 10 * minute - 1
  assert.ok(await sessions.signInByCode(code, origin))
  now += 1
  assert.equal(await sessions.signInByCode(late, origin), undefined)
})

test('a code works once, even for those who send it at the same moment', async () => {
  const code = await newCode((await newKey()).id)
  const begun = await Promise.all([1, 2, 3].map(() => sessions.signInByCode(code, origin)))
  assert.equal(begun.filter((token) => token !== undefined).length, 1)
})

test('a code is worth nothing when its key was revoked, and there is none for such a key', async () => {
  const { id } = await newKey()
  const code = await newCode(id)
  await store.transact(revokeApiKey, { id, now })
  assert.equal(await sessions.signInByCode(code, origin), undefined)
  await assert.rejects(newCode(id), /there is no link/)
})

test("the operator's session ends when the operator's token is another one", async () => {
  const token = (await sessions.signIn('operator', origin)) ?? ''
  const byCode = (await sessions.signInByCode(await newCode('operator'), origin)) ?? ''
  for (const one of [token, byCode]) assert.equal(await ask(one), 'operator')
  sessions = new SessionStore(store, clock, `pho_${'1'.repeat(52)}`)
  for (const one of [token, byCode]) assert.equal(await ask(one), undefined)
})

test('what is over is removed, and nothing else', async () => {
  const { id, signIn } = await newKey()
  const old = await signIn()
  await newCode(id)
  now += 11 * hour
  const living = await signIn()
  now += hour
  assert.ok((await store.transact(forgetSessions, { now, limit: 1_000 })) >= 2)
  const left = JSON.stringify(await stored())
  assert.ok(left.includes(digestOf(living)) && !left.includes(digestOf(old)))
  assert.deepEqual(await rowsIn(data, 'select * from sign_in_codes'), [])
})

test('a link is for the newest admin key that lives and has no limits', async () => {
  const find = (organization: string | null) => store.read(findAdminKey, { organization, now })
  const { id } = await newKey()
  await newKey({ instance_names: '["shop"]' })
  await newKey({ expires_at: now })
  await store.transact(revokeApiKey, { id: (await newKey()).id, now })
  assert.deepEqual(await find(null), { kind: 'key', id })
  await store.transact(createOrganization, { id: newId('org'), name: 'other', created_at: 1 })
  assert.deepEqual(await find(null), { kind: 'several' })
  assert.deepEqual(await find('acme'), { kind: 'key', id })
  assert.deepEqual(await find('other'), { kind: 'no_key' })
  assert.deepEqual(await find('nobodys'), { kind: 'no_organization' })
})

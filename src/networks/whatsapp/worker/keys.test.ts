import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initAuthCreds } from 'baileys'
import { type KeyChange, maxChanges } from '../../driver/keys.ts'
import { type KeyHome, Keys, readCreds } from './keys.ts'

const noFailure = (error: unknown) => assert.ifError(error)

/** A home for keys that answers when it is let, and counts what it was asked. */
class Home implements KeyHome {
  readonly stored = new Map<string, Uint8Array>()
  readonly sets: (readonly KeyChange[])[] = []
  reads = 0
  hold: Promise<void> = Promise.resolve()
  fails = false

  async get(type: string, ids: readonly string[]) {
    this.reads += 1
    const found = ids.map((id) => [id, this.stored.get(`${type} ${id}`)] as const)
    return new Map(found.filter((entry): entry is [string, Uint8Array] => entry[1] !== undefined))
  }

  async set(changes: readonly KeyChange[]) {
    await this.hold
    if (this.fails) throw new Error('the store is full')
    this.sets.push(changes)
    for (const { type, id, value } of changes) {
      if (value) this.stored.set(`${type} ${id}`, value)
      else this.stored.delete(`${type} ${id}`)
    }
  }
}

function keysAt(home: Home, onFailure: (error: unknown) => void = noFailure) {
  return new Keys(home, initAuthCreds(), onFailure)
}

test('what is put is seen at once, and stored together with what is put in the same turn', async () => {
  const home = new Home()
  const keys = keysAt(home)
  keys.put({ session: { ana: Buffer.from('1') } })
  const first = keys.flush()
  keys.put({ session: { bert: Buffer.from('2') } })
  assert.deepEqual(await keys.get('session', ['ana', 'bert', 'carl']), {
    ana: Buffer.from('1'),
    bert: Buffer.from('2'),
  })
  await Promise.all([first, keys.flush()])
  assert.equal(home.sets.length, 1)
  assert.equal(home.stored.size, 2)
})

test('a key that changes while it is being stored is stored again, after that', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const held = Promise.withResolvers<void>()
  home.hold = held.promise
  keys.put({ session: { ana: 'one' } })
  const first = keys.flush()
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  keys.put({ session: { ana: 'two' } })
  const second = keys.flush()
  assert.deepEqual(Object.fromEntries(await keys.read('session', ['ana'])), { ana: 'two' })
  held.resolve()
  await Promise.all([first, second])
  assert.deepEqual(
    home.sets.map((changes) => changes.length),
    [1, 1],
  )
  const fresh = keysAt(home)
  assert.deepEqual(Object.fromEntries(await fresh.read('session', ['ana'])), { ana: 'two' })
})

test('what was read can be changed without changing what is kept', async () => {
  const home = new Home()
  const values = {
    'sender-key-memory': { 'ana@lid': true },
    'device-list': ['0', '1'],
    'app-state-sync-version': {
      version: 1,
      hash: Buffer.from([1, 2]),
      indexValueMap: { a: { valueMac: Buffer.from([3]) } },
    },
    session: { _sessions: { a: { indexInfo: { used: 1 } } } },
    'sender-key': Buffer.from('key'),
  }
  const spoil = (value: unknown): void => {
    if (value instanceof Uint8Array) value.fill(0xff)
    else if (Array.isArray(value)) value.push('2')
    else if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) spoil(each)
      Object.assign(value, { 'bert@lid': true })
    }
  }
  const expected = structuredClone(values)
  const keys = keysAt(home)
  for (const [type, value] of Object.entries(values)) keys.put({ [type]: { group: value } })
  const readAll = async () => {
    const found: Record<string, unknown> = {}
    for (const type of Object.keys(values)) found[type] = (await keys.read(type, ['group'])).get('group')
    return found
  }
  const same = async (when: string) => {
    assert.deepEqual(JSON.stringify(await readAll()), JSON.stringify(values), when)
    for (const value of Object.values(await readAll())) spoil(value)
    assert.deepEqual(structuredClone(values), expected, when)
    assert.deepEqual(JSON.stringify(await readAll()), JSON.stringify(values), `${when}, after it was changed`)
  }
  await same('before it is stored')
  await keys.flush()
  await same('after it was stored')
  const fresh = keysAt(home)
  for (const value of [
    await fresh.get('sender-key-memory', ['group']),
    await fresh.get('sender-key-memory', ['group']),
  ]) {
    assert.deepEqual(value, { group: { 'ana@lid': true } })
    Object.assign(value.group ?? {}, { 'bert@lid': true })
  }
  assert.ok(Buffer.isBuffer((await fresh.read('sender-key', ['group'])).get('group')))
})

test('the same value is not stored twice, and null removes it', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const session = { some: 'session' }
  await keys.set({ session: { ana: session } } as never)
  await keys.set({ session: { ana: session } } as never)
  assert.equal(home.sets.length, 1)
  await keys.set({ session: { ana: null } })
  assert.equal(home.stored.size, 0)
  assert.equal((await keys.read('session', ['ana'])).size, 0)
})

test('what is stored already costs no commit for what somebody else has just put', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const session = { some: 'session' }
  keys.put({ session: { ana: session } })
  await keys.flush()
  keys.put({ sent: { next: 'message' } })
  await keys.set({ session: { ana: session } } as never)
  assert.equal(home.sets.length, 1)
  await keys.flush()
  assert.equal(home.sets.length, 2)
})

test('memory holds a bounded number of keys, and finds the others again', async () => {
  const home = new Home()
  const keys = keysAt(home)
  for (let each = 0; each < 500; each++) keys.put({ session: { [`p${each}`]: `s${each}` } })
  await keys.flush()
  const before = home.reads
  assert.equal((await keys.read('session', ['p499'])).get('p499'), 's499')
  assert.equal(home.reads, before)
  assert.equal((await keys.read('session', ['p0'])).get('p0'), 's0')
  assert.equal(home.reads, before + 1)
})

test('if keys cannot be stored, everybody who waits is told, and so is the client', async () => {
  const home = new Home()
  const failures: unknown[] = []
  const keys = keysAt(home, (error) => failures.push(error))
  home.fails = true
  keys.put({ session: { ana: 'one' } })
  const first = keys.flush()
  await assert.rejects(first, /full/)
  assert.equal(failures.length, 1)
  home.fails = false
  keys.put({ session: { bert: 'two' } })
  await assert.rejects(keys.flush(), /full/)
  assert.equal(home.stored.size, 0)
})

test('the account itself is a key, and its bytes come back as the library wants them', async () => {
  const home = new Home()
  const creds = initAuthCreds()
  const keys = new Keys(home, creds, noFailure)
  creds.nextPreKeyId = 42
  keys.putCreds()
  await keys.flush()
  const found = await readCreds(home)
  assert.equal(found?.nextPreKeyId, 42)
  assert.ok(Buffer.isBuffer(found?.noiseKey.private))
  assert.deepEqual(found?.signedPreKey.keyPair.private, Buffer.from(creds.signedPreKey.keyPair.private))
  assert.equal(await readCreds(new Home()), null)
  assert.equal(keys.putCreds(), false)
  creds.nextPreKeyId = 43
  assert.equal(keys.putCreds(), true)
})

test('what WhatsApp tells again is stored with the next change, and not before', async () => {
  const home = new Home()
  const keys = keysAt(home)
  await keys.set({ 'device-list': { ana: ['0', '7'] } })
  assert.equal(home.sets.length, 0)
  assert.deepEqual(await keys.get('device-list', ['ana']), { ana: ['0', '7'] })
  await keys.set({ 'lid-mapping': { ana: '1' } })
  assert.deepEqual([...home.stored.keys()], ['device-list ana', 'lid-mapping ana'])
})

test('much at once is stored in parts, and the account after the keys that it names', async () => {
  const home = new Home()
  const keys = keysAt(home)
  for (let each = 0; each <= maxChanges; each++) keys.put({ 'lid-mapping': { [`p${each}`]: `s${each}` } })
  keys.putCreds()
  await keys.flush()
  assert.deepEqual(
    home.sets.map((changes) => changes.length),
    [maxChanges, 2],
  )
  assert.equal(home.sets.at(-1)?.at(-1)?.type, 'account')
})

test('a session that somebody made grow too large is forgotten', async () => {
  const home = new Home()
  const keys = keysAt(home)
  await keys.set({ session: { mallory: 'x'.repeat(300_000), ana: 'small' } } as never)
  assert.deepEqual([...home.stored.keys()], ['session ana'])
})

test('while a message is being stored, no key is; then all are, in one set', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const releases = await Promise.all([1, 2].map(() => keys.hold(() => assert.fail('it was not late'))))
  keys.putEarly({ session: { ana: Buffer.from('moved on') } })
  const flushed = keys.flush()
  for (const release of releases) {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    assert.equal(home.sets.length, 0)
    release()
  }
  await flushed
  assert.deepEqual([...home.stored.keys()], ['session ana'])
  assert.equal(home.sets.length, 1)
})

test('while something is encrypted that is not durable no message is held, and while one is held nothing is encrypted', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const stored = Promise.withResolvers<void>()
  home.hold = stored.promise
  const story: string[] = []
  const encrypt = async (name: string) => {
    const { durable } = await keys.encrypt(async () => {
      story.push(`${name} is encrypted`)
      keys.put({ session: { [name]: name } } as never)
    })
    await durable
    story.push(`${name} is durable`)
  }
  const first = encrypt('the first')
  const held = keys
    .hold(() => assert.fail('it was not late'))
    .then((release) => {
      story.push('a message is held')
      return release
    })
  const second = encrypt('the second')
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  assert.deepEqual(story, ['the first is encrypted'])
  stored.resolve()
  const release = await held
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  release()
  await Promise.all([first, second])
  assert.deepEqual(story, [
    'the first is encrypted',
    'the first is durable',
    'a message is held',
    'the second is encrypted',
    'the second is durable',
  ])
  await assert.rejects(keys.encrypt(() => Promise.reject(new Error('there is no session'))))
  const again = await keys.hold(() => assert.fail('it was not late'))
  again()
})

test('a message that cannot be stored in time is told of once, and no key is stored until it is let go', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const home = new Home()
  const keys = keysAt(home)
  let late = 0
  const release = await keys.hold(() => {
    late += 1
  })
  keys.put({ session: { ana: 'moved on' } })
  const flushed = keys.flush()
  t.mock.timers.tick(9_999)
  assert.equal(late, 0)
  t.mock.timers.tick(60_000)
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  assert.deepEqual([late, home.sets.length], [1, 0])
  // The client has ended meanwhile.
  home.fails = true
  const failed = assert.rejects(flushed)
  release()
  await failed
  assert.equal(home.stored.size, 0)
})

test('what a transaction put early is not put again at its end, when it may be older than what is there', async () => {
  const home = new Home()
  const keys = keysAt(home)
  const [first, second] = [Buffer.from('first'), Buffer.from('second')]
  keys.putEarly({ session: { ana: first } })
  await keys.flush()
  keys.putEarly({ session: { ana: second } })
  await keys.set({ session: { ana: first } })
  assert.deepEqual(Object.fromEntries(await keys.read('session', ['ana'])), { ana: second })
  await keys.flush()
  assert.deepEqual(Object.fromEntries(await keysAt(home).read('session', ['ana'])), { ana: second })
  // A removal alone is made once more at its end.
  keys.putEarly({ 'pre-key': { 1: null } })
  await keys.set({ 'pre-key': { 1: null } })
  assert.equal(home.sets.flat().filter(({ type }) => type === 'pre-key').length, 1)
})

test('what WhatsApp tells again expires, and what it does not stays', async () => {
  const home = new Home()
  const keys = keysAt(home)
  keys.put({ 'device-list': { ana: ['0'] }, session: { ana: 'one' } })
  keys.put({ sent: { message: Buffer.from('text') } }, 1)
  await keys.flush()
  const expire = new Map(home.sets.flat().map(({ type, expires_at }) => [type, expires_at]))
  assert.ok((expire.get('device-list') ?? 0) > Date.now())
  assert.deepEqual([expire.get('session'), expire.get('sent')], [undefined, 1])
})

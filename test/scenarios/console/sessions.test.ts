import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { revokeKey } from '../../../src/contract/operations/key-operations.ts'
import { Browser } from '../../kit/http/browser.ts'
import { codeOf } from '../../kit/http/raw-request.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { tamper } from '../../kit/rows.ts'

/* Browsers that are signed in with a key: what they may do, until when, and what pages of others can make of them. */

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

/** A browser that was signed in with this key. */
async function signedIn(key = posthorn.adminKey): Promise<Browser> {
  const browser = new Browser(posthorn.url)
  const reply = await browser.signIn({ key })
  assert.equal(reply.status, 204, reply.text)
  return browser
}

const instances = (browser: Browser) => browser.ask('GET', '/v1/instances')
const create = (browser: Browser, name: string) => browser.ask('POST', '/v1/instances', { name })

describe('a browser', () => {
  test('signs in with a key, reads, changes something, and signs out', async () => {
    const browser = await signedIn()
    assert.equal((await instances(browser)).status, 200)
    assert.equal((await create(browser, 'shop')).status, 201)
    assert.equal((await browser.ask('DELETE', '/console/session')).status, 204)
    assert.match(browser.setCookie ?? '', /^posthorn_session=; Max-Age=0; /)
    assert.equal(codeOf(await instances(browser)), 'unauthenticated')
  })

  test('learns whether it is signed in without being refused', async () => {
    const browser = new Browser(posthorn.url)
    const asked = () => browser.ask('GET', '/console/session')
    assert.deepEqual([(await asked()).status, (await asked()).json], [200, { signed_in: false }])
    await browser.signIn({ key: posthorn.adminKey })
    assert.deepEqual((await asked()).json, { signed_in: true })
    await browser.ask('DELETE', '/console/session')
    assert.deepEqual((await asked()).json, { signed_in: false })
  })

  test('is given a cookie that no script can read and no other site can send', async () => {
    const browser = await signedIn()
    assert.match(
      browser.setCookie ?? '',
      /^posthorn_session=[0-9a-z]{52}; Max-Age=604800; HttpOnly; SameSite=Strict; Path=\/$/,
    )
  })

  test('whose session was ended is out, even if it kept the cookie', async () => {
    const browser = await signedIn()
    const kept = browser.elsewhere({ 'sec-fetch-site': 'same-origin' })
    assert.equal((await instances(kept)).status, 200)
    await browser.ask('DELETE', '/console/session')
    assert.equal(codeOf(await instances(kept)), 'unauthenticated')
  })

  test('signs all browsers of its key out, and no other', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const [one, two, other] = [await signedIn(key), await signedIn(key), await signedIn()]
    assert.equal((await one.ask('DELETE', '/console/session?everywhere=true')).status, 204)
    assert.equal(codeOf(await instances(two)), 'unauthenticated')
    assert.equal((await instances(other)).status, 200)
    const again = await two.ask('DELETE', '/console/session?everywhere=true')
    assert.equal(codeOf(again), 'unauthenticated', 'it did not end the others')
  })

  test('may do what its key may, and sees what that sees', async () => {
    await create(await signedIn(), 'seen')
    await create(await signedIn(), 'unseen')
    const { key } = await posthorn.createKey('default', 'read', { instances: ['seen'] })
    const browser = await signedIn(key)
    const names = ((await instances(browser)).json as { data: { name: string }[] }).data.map(
      ({ name }) => name,
    )
    assert.deepEqual(names, ['seen'])
    assert.equal((await browser.ask('GET', '/v1/instances/unseen')).status, 404)
    assert.equal(codeOf(await create(browser, 'third')), 'forbidden')
  })

  test('is out when its key is revoked', async () => {
    const { id, key } = await posthorn.createKey('default', 'read')
    const browser = await signedIn(key)
    assert.equal((await instances(browser)).status, 200)
    await posthorn.revokeKey(id)
    await eventually(
      'the session to end',
      () => instances(browser),
      (reply) => codeOf(reply) === 'unauthenticated',
    )
  })

  test('is out at once when an admin revokes its key', async () => {
    const { id, key } = await posthorn.createKey('default', 'read')
    const browser = await signedIn(key)
    assert.equal((await instances(browser)).status, 200)
    await posthorn.admin.call(revokeKey, { params: { id } })
    assert.equal(codeOf(await instances(browser)), 'unauthenticated')
  })

  test('is told when its key has expired', async () => {
    const { id, key } = await posthorn.createKey('default', 'read', { expires_at: Date.now() + 3_600_000 })
    const browser = await signedIn(key)
    const expire = `update api_keys set expires_at = ${Date.now()} where id = '${id}'`
    await tamper(posthorn.data, { sqlite: expire, postgres: expire })
    const reply = await eventually(
      'the session to end',
      () => instances(browser),
      ({ status }) => status !== 200,
    )
    assert.equal(codeOf(reply), 'key_expired')
    const old = await posthorn.createKey('default', 'read', { expires_at: Date.now() - 1 })
    assert.equal(codeOf(await browser.signIn({ key: old.key })), 'key_expired')
  })
})

describe('who signs in', () => {
  const refused = [
    ['nothing', {}, 'invalid_request'],
    ['a text', 'phk', 'invalid_request'],
    ['two things', { key: 'phk', code: 'x' }, 'invalid_request'],
    ['a number', { key: 1 }, 'invalid_request'],
    ['a key that is none', { key: 'phk_nobodys' }, 'unauthenticated'],
    ['a code that is none', { code: '0'.repeat(52) }, 'unauthenticated'],
    ['what is too long', { key: 'x'.repeat(1_100) }, 'body_too_large'],
  ] as const
  for (const [what, body, code] of refused)
    test(`with ${what} is refused`, async () => {
      const browser = new Browser(posthorn.url)
      const reply = await browser.ask('POST', '/console/session', body)
      assert.equal(codeOf(reply), code, reply.text)
      assert.equal(browser.setCookie, undefined)
    })

  test('is told which methods there are', async () => {
    const reply = await new Browser(posthorn.url).ask('PUT', '/console/session')
    assert.equal(reply.headers.allow, 'GET, HEAD, POST, DELETE')
  })
})

describe('a page of somebody else', () => {
  const others: Record<string, Record<string, string>> = {
    'on another site': { 'sec-fetch-site': 'cross-site' },
    'on the same site': { 'sec-fetch-site': 'same-site' },
    'of which only the origin is known': { origin: 'http://evil.example' },
    'that hides its origin': { origin: 'null' },
    'of which nothing is known': {},
  }
  for (const [which, said] of Object.entries(others)) {
    test(`${which}, cannot change anything in a session`, async () => {
      const browser = await signedIn()
      const reply = await create(browser.elsewhere(said), 'planted')
      assert.equal(reply.status, 403)
      assert.equal(codeOf(reply), 'cross_origin')
      const out = await browser.elsewhere(said).ask('DELETE', '/console/session')
      assert.equal(codeOf(out), 'cross_origin')
      assert.equal((await browser.ask('GET', '/v1/instances/planted')).status, 404)
    })

    test(`${which}, cannot sign a browser in`, async () => {
      const reply = await new Browser(posthorn.url, said).signIn({ key: posthorn.adminKey })
      assert.equal(codeOf(reply), 'cross_origin')
      assert.equal(reply.headers['set-cookie'], undefined)
    })
  }

  test('cannot show what a session could read', async () => {
    const browser = await signedIn()
    for (const site of ['cross-site', 'same-site'])
      assert.equal(codeOf(await instances(browser.elsewhere({ 'sec-fetch-site': site }))), 'cross_origin')
  })

  test('changes nothing for who sends a key', async () => {
    const browser = (await signedIn()).elsewhere({
      'sec-fetch-site': 'cross-site',
      origin: 'http://evil.example',
    })
    const headers = { authorization: `Bearer ${posthorn.adminKey}` }
    assert.equal((await browser.ask('POST', '/v1/instances', { name: 'by-key' }, headers)).status, 201)
    const wrong = await browser.ask('GET', '/v1/instances', undefined, { authorization: 'Bearer phk_wrong' })
    assert.equal(codeOf(wrong), 'unauthenticated', 'the key counts, not the session')
  })
})

describe('a page that another key opened, in another tab', () => {
  const openedBy = (id: string) => ({ 'posthorn-opened-by': id })

  test('shows nothing and changes nothing by the key that has signed in since', async () => {
    const [first, second] = [
      await posthorn.createKey('default', 'admin'),
      await posthorn.createKey('default', 'admin'),
    ]
    const browser = await signedIn(first.key)
    const ask = (method: string, path: string, body?: unknown) =>
      browser.ask(method, path, body, openedBy(first.id))
    assert.equal((await ask('GET', '/v1/instances')).status, 200)
    const kept = browser.elsewhere({ 'sec-fetch-site': 'same-origin' })
    await browser.signIn({ key: second.key })
    for (const [method, path, body] of [
      ['GET', '/v1/me', undefined],
      ['POST', '/v1/instances', { name: 'by-the-other' }],
      ['DELETE', '/console/session?everywhere=true', undefined],
    ] as const)
      assert.equal(codeOf(await ask(method, path, body)), 'session_changed')
    assert.equal((await browser.ask('GET', '/v1/instances/by-the-other')).status, 404)
    assert.equal((await browser.ask('GET', '/v1/me', undefined, openedBy(second.id))).status, 200)
    assert.equal(codeOf(await instances(kept)), 'unauthenticated', 'nobody could end the first session')
  })

  test("is the operator's, or not", async () => {
    const browser = await signedIn()
    const reply = await browser.ask('GET', '/v1/instances', undefined, openedBy('operator'))
    assert.equal(codeOf(reply), 'session_changed')
  })
})

describe('a page of ours', () => {
  test('is known by its origin where browsers say nothing else, as over plain HTTP', async () => {
    const browser = new Browser(posthorn.url, { origin: posthorn.url })
    assert.equal((await browser.signIn({ key: posthorn.adminKey })).status, 204)
    assert.equal((await create(browser, 'plain')).status, 201)
    assert.equal((await instances(browser.elsewhere({}))).status, 200)
  })

  test('may be opened by a person', async () => {
    const browser = (await signedIn()).elsewhere({ 'sec-fetch-site': 'none' })
    assert.equal((await instances(browser)).status, 200)
    assert.equal(codeOf(await create(browser, 'typed')), 'cross_origin')
  })
})

describe('a link with a code', () => {
  test('signs one browser in, once', async () => {
    const { id } = await posthorn.createKey('default', 'send')
    const code = await posthorn.signInCode(id)
    const browser = new Browser(posthorn.url)
    assert.equal((await browser.signIn({ code })).status, 204)
    assert.equal(codeOf(await create(browser, 'by-code')), 'forbidden', 'it has the role of the key')
    const second = new Browser(posthorn.url)
    const reply = await second.signIn({ code })
    assert.equal(codeOf(reply), 'unauthenticated')
    assert.match(reply.text, /used already/)
    assert.equal(second.setCookie, undefined)
  })

  test('is used up by nobody else: a page of somebody else cannot use it', async () => {
    const code = await posthorn.signInCode((await posthorn.createKey('default', 'read')).id)
    const other = new Browser(posthorn.url, { 'sec-fetch-site': 'cross-site' })
    assert.equal(codeOf(await other.signIn({ code })), 'cross_origin')
    assert.equal((await new Browser(posthorn.url).signIn({ code })).status, 204)
  })
})

test('who signs in and out is in the audit log, without the secrets', async () => {
  const { id, key } = await posthorn.createKey('default', 'read')
  const browser = await signedIn(key)
  const { cookie } = browser
  await browser.ask('DELETE', '/console/session')
  const { body } = await posthorn.admin.call(listAudit, { query: { actor: id } })
  const noted = body.data.map(({ action, result, address }) => [action, result, address])
  assert.deepEqual(noted, [
    ['signOut', 'done', '127.0.0.1'],
    ['signIn', 'done', '127.0.0.1'],
  ])
  const [, token = ''] = cookie.split('=')
  assert.ok(!JSON.stringify(body).includes(token))
})

describe('a server behind a proxy with TLS', () => {
  const baseUrl = 'https://messages.example.org'
  let proxied: Posthorn
  before(async () => {
    proxied = await startPosthorn({
      environment: { POSTHORN_BASE_URL: baseUrl, POSTHORN_ADDRESS_RATE: '5/600' },
    })
  })
  after(() => proxied.stop())

  test('gives a cookie that never leaves TLS, and knows its own pages by the URL that browsers use', async () => {
    const browser = new Browser(proxied.url, { origin: baseUrl, host: 'messages.example.org' })
    assert.equal((await browser.signIn({ key: proxied.adminKey })).status, 204)
    assert.match(
      browser.setCookie ?? '',
      /^__Host-posthorn_session=\w+; .*; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
    )
    assert.equal((await create(browser, 'shop')).status, 201)
    for (const origin of ['http://messages.example.org', 'https://messages.example.org.evil.example']) {
      const other = browser.elsewhere({ origin, host: 'messages.example.org' })
      assert.equal(codeOf(await create(other, 'planted')), 'cross_origin')
    }
  })

  test('slows down who guesses, and still signs in who has a key', async () => {
    const guess = () => new Browser(proxied.url).signIn({ key: 'phk_guess' })
    const codes = [codeOf(await guess())]
    while (codes.at(-1) === 'unauthenticated') codes.push(codeOf(await guess()))
    assert.equal(codes.at(-1), 'rate_limited')
    assert.equal((await new Browser(proxied.url).signIn({ key: proxied.adminKey })).status, 204)
  })
})

describe('the operator', () => {
  const first = `pho_${'0'.repeat(52)}`
  const [admin, other] = [{ operator_token: first }, { operator_token: `pho_${'1'.repeat(52)}` }]
  const metrics = (browser: Browser) => browser.ask('GET', '/metrics')

  test("signs in with the operator's token or a link, until that token is another one", async () => {
    let server = await startPosthorn({ environment: { POSTHORN_OPERATOR_TOKEN: first } })
    try {
      assert.equal(codeOf(await new Browser(server.url).signIn(other)), 'unauthenticated')
      const [byToken, byLink] = [new Browser(server.url), new Browser(server.url)]
      assert.equal((await byToken.signIn(admin)).status, 204)
      assert.equal((await byLink.signIn({ code: await server.signInCode('operator') })).status, 204)
      for (const browser of [byToken, byLink]) {
        assert.equal((await metrics(browser)).status, 200)
        assert.equal(codeOf(await instances(browser)), 'forbidden', 'it belongs to no organization')
      }
      const key = new Browser(server.url)
      await key.signIn({ key: server.adminKey })
      assert.equal(codeOf(await metrics(key)), 'forbidden')

      server = await server.restart()
      const again = (browser: Browser) => browser.elsewhere({ 'sec-fetch-site': 'same-origin' }, server.url)
      assert.equal((await metrics(again(byToken))).status, 200, 'a session outlives a restart')
      server = await server.restart({ POSTHORN_OPERATOR_TOKEN: other.operator_token })
      assert.equal(codeOf(await metrics(again(byToken))), 'unauthenticated')
      assert.equal(codeOf(await metrics(again(byLink))), 'unauthenticated')
      assert.equal((await instances(again(key))).status, 200)
    } finally {
      await server.stop()
    }
  })
})

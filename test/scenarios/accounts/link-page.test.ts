import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  listInstances,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { startLink } from '../../../src/contract/operations/link-operations.ts'
import {
  answerLinkOnPage,
  createLinkPage,
  declineLink,
  getLinkPage,
  revokeLinkPages,
  startLinkOnPage,
} from '../../../src/contract/operations/link-page-operations.ts'
import type { InstanceEventData } from '../../../src/contract/resources/event.ts'
import type { CreateLinkPage, LinkPageView } from '../../../src/contract/resources/link-page.ts'
import { newToken } from '../../../src/runtime/secrets/token.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { bearer } from '../../kit/http/contract-request.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { textIn } from '../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn, tamper } from '../../kit/rows.ts'

const baseUrl = 'https://posthorn.example/gateway'

let posthorn: Posthorn
let log = ''
const hear = (line: string) => {
  log += line
}
before(async () => {
  const environment = { POSTHORN_BASE_URL: baseUrl, POSTHORN_ADDRESS_RATE: 'off' }
  posthorn = await startPosthorn({ environment, log: { write: hear } })
})
after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })
const statusOf = async (name: string) => (await posthorn.admin.call(getInstanceStatus, at(name))).body.status
const refusal = async (call: Promise<unknown>) => {
  const { status, code } = await problemOf(call)
  return `${status} ${code}`
}
const gone = '404 link_page_not_found'

/** Makes an instance whose account is not being linked. */
async function unlinked(name: string, settings: object = {}): Promise<void> {
  const own = { link: 'qr', links_after_seconds: 3600, ...settings }
  const body = { name, network: 'sandbox', settings: own }
  await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
  await posthorn.admin.call(stopInstance, { ...at(name), waitSeconds: 10 })
}

/** A person who was sent the page. */
interface Visitor {
  readonly id: string
  readonly token: string
  readonly client: CheckedClient
  view(): Promise<LinkPageView>
  reaches(state: LinkPageView['state']): Promise<LinkPageView>
}

async function pageFor(name: string, body: CreateLinkPage = {}, key = posthorn.admin): Promise<Visitor> {
  const made = await key.call(createLinkPage, { ...at(name), body })
  const token = made.body.url.split('#')[1] ?? ''
  const client = posthorn.client(token)
  const view = async () => (await client.call(getLinkPage)).body
  const reaches = (state: LinkPageView['state']) =>
    eventually(`the page to be ${state}`, view, (shown) => shown.state === state)
  return { id: made.body.id, token, client, view, reaches }
}

/** Resolves with the page once it shows a step. */
const step = ({ view }: Visitor) =>
  eventually('a step', view, (shown) => shown.step !== null || shown.state !== 'linking')

describe('a customer links the account on a page', () => {
  test('which shows nothing but what it needs, and starts nothing until they choose', async () => {
    await unlinked('shop')
    const { body } = await posthorn.admin.call(createLinkPage, {
      ...at('shop'),
      body: { title: 'Padaria da Ana', language: 'pt-BR', expires_in_seconds: 600 },
    })
    assert.match(body.url, /^https:\/\/posthorn\.example\/gateway\/link#phl_[0-9a-z]{59}$/)
    const visitor = posthorn.client(body.url.split('#')[1])
    const seen = await visitor.call(getLinkPage)
    assert.equal(seen.headers['cache-control'], 'no-store')
    assert.deepEqual(seen.body, {
      title: 'Padaria da Ana',
      has_picture: false,
      language: 'pt-BR',
      network: 'Sandbox',
      kinds: ['qr', 'code'],
      state: 'ready',
      step: null,
      expires_at: body.expires_at,
    })
    assert.equal(await statusOf('shop'), 'stopped')
    const none = visitor.call(getLinkPage, { accept: 'image/png' })
    assert.equal(await refusal(none), '409 no_link_step')
  })

  test('by a QR code, which they scan from a picture', async () => {
    await unlinked('scanned')
    const page = await pageFor('scanned')
    const { body } = await page.client.call(startLinkOnPage)
    assert.equal(body.state, 'linking')
    const shown = await step(page)
    assert.equal(shown.step?.kind, 'qr')
    const { bytes } = await page.client.call(getLinkPage, { accept: 'image/png' })
    assert.equal(textIn(bytes), shown.step?.value)
    const { data: entries } = (await posthorn.admin.call(listAudit, { query: { instance: 'scanned' } })).body
    const started = entries.filter(({ action }) => action === 'startLinkOnPage')
    assert.deepEqual(
      started.map(({ target, result }) => [target, result]),
      [[page.id, 'done']],
    )
  })

  test('by a code for their phone, after they began with a QR code', async () => {
    await unlinked('typed')
    const page = await pageFor('typed')
    await page.client.call(startLinkOnPage, { body: { kind: 'qr' } })
    await step(page)
    const wrong = page.client.call(startLinkOnPage, { body: { kind: 'code', phone: '12' } })
    assert.equal(await refusal(wrong), '400 invalid_request')
    await page.client.call(startLinkOnPage, { body: { kind: 'code', phone: '+49 151 12345678' } })
    const shown = await eventually('a code', page.view, (now) => now.step?.kind === 'code')
    assert.match(shown.step?.value ?? '', /^\w{4}-\w{4}$/)
    const picture = page.client.call(getLinkPage, { accept: 'image/svg+xml' })
    assert.equal(await refusal(picture), '406 not_acceptable')
  })

  test('by the answer to a question; then every page of the instance says so, and opens nothing more', async () => {
    const body = { name: 'asked', network: 'sandbox', settings: { link: 'question' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
    const pages = [await pageFor('asked'), await pageFor('asked')] as const
    const { step: question } = await step(pages[0])
    assert.equal(question?.kind, 'question')
    const answer = (page: Visitor, text: string) =>
      page.client.call(answerLinkOnPage, { body: { answer: text } })
    assert.equal(await refusal(answer(pages[0], 'surely not this')), '409 network_refused')
    await answer(pages[0], question?.value.replace(/.* /, '') ?? '')
    for (const page of pages) {
      assert.equal((await page.reaches('linked')).step, null)
      assert.equal(await refusal(page.client.call(startLinkOnPage)), gone)
      assert.equal(await refusal(answer(page, 'none')), gone)
    }
    assert.equal(await refusal(posthorn.admin.call(createLinkPage, at('asked'))), '409 already_linked')
  })

  test('and begins again after nobody acted in time', async () => {
    await unlinked('slow', { link_step_seconds: 0.05 })
    const page = await pageFor('slow')
    await page.client.call(startLinkOnPage)
    await page.reaches('ready')
    await page.client.call(startLinkOnPage)
    await page.reaches('ready')
  })
})

describe('a page ends', () => {
  test('with the key that made it, whether that is revoked or expires', async () => {
    await unlinked('keyed')
    const revoked = await posthorn.createKey('default', 'admin')
    const expiring = await posthorn.createKey('default', 'admin', { expires_at: Date.now() + 3_600_000 })
    const made = await pageFor('keyed', {}, posthorn.client(revoked.key))
    const short = await pageFor('keyed', {}, posthorn.client(expiring.key))
    const kept = await pageFor('keyed')
    await made.view()
    await posthorn.revokeKey(revoked.id)
    assert.equal(await refusal(made.view()), gone)
    await short.view()
    const query = `update api_keys set expires_at = ${Date.now()} where id = '${expiring.id}'`
    await tamper(posthorn.data, { sqlite: query, postgres: query })
    assert.equal(await refusal(short.view()), gone)
    assert.equal((await kept.view()).state, 'ready')
  })

  test('with its instance, and another of the same name has none of its pages', async () => {
    await unlinked('removed')
    const page = await pageFor('removed')
    await posthorn.admin.call(deleteInstance, at('removed'))
    assert.equal(await refusal(page.view()), gone)
    await unlinked('removed')
    assert.equal(await refusal(page.view()), gone)
    assert.deepEqual(await rowsIn(posthorn.data, `select id from link_pages where id = '${page.id}'`), [])
  })

  test('when it expires, when it is ended, and when ten others were made after it', async () => {
    await unlinked('many')
    const expired = await pageFor('many')
    const query = `update link_pages set expires_at = ${Date.now()} where id = '${expired.id}'`
    await tamper(posthorn.data, { sqlite: query, postgres: query })
    assert.equal(await refusal(expired.view()), gone)
    const oldest = await pageFor('many')
    const others: Visitor[] = []
    for (let made = 0; made < 10; made++) others.push(await pageFor('many'))
    assert.equal(await refusal(oldest.view()), gone)
    for (const { view } of others) assert.equal((await view()).state, 'ready')
    await posthorn.admin.call(revokeLinkPages, at('many'))
    for (const { view } of others) assert.equal(await refusal(view()), gone)
  })
})

describe('a person declines', () => {
  /** Everything that callers were told about the status of an instance. */
  const changes = async (name: string) => {
    const query = { types: ['instance.status_changed' as const], instances: [name] }
    const { data } = (await posthorn.admin.call(listEvents, { query })).body
    return data.map((event) => {
      const { status, reason } = (event.data as InstanceEventData).instance
      return `${status} ${reason?.code}`
    })
  }
  const reasonOf = async (name: string) => {
    const { status, reason } = (await posthorn.admin.call(getInstanceStatus, at(name))).body
    return `${status} ${reason?.code}`
  }
  const declined = 'stopped link_declined'

  test('while their account is being linked: that ends with their page, and not with those of others', async () => {
    await unlinked('declined')
    const [page, other] = [await pageFor('declined'), await pageFor('declined')]
    await page.client.call(startLinkOnPage)
    await step(page)
    assert.equal((await page.client.call(declineLink)).status, 204)
    assert.equal(await reasonOf('declined'), declined)
    assert.equal((await changes('declined')).filter((told) => told === declined).length, 1)
    assert.equal(await refusal(page.view()), gone)
    assert.equal(await refusal(page.client.call(startLinkOnPage)), gone)
    assert.equal(await refusal(page.client.call(declineLink)), gone)
    assert.equal((await other.view()).state, 'ready')
    const { data: entries } = (await posthorn.admin.call(listAudit, { query: { instance: 'declined' } })).body
    const noted = entries.filter(({ action }) => action === 'declineLink')
    assert.deepEqual(
      noted.map(({ target, result }) => [target, result]),
      [[page.id, 'done']],
    )
  })

  test('before anything has begun, which is told all the same; the account can be linked later', async () => {
    await unlinked('early')
    const page = await pageFor('early')
    assert.equal(await reasonOf('early'), 'stopped stop_ordered')
    await page.client.call(declineLink)
    assert.equal(await reasonOf('early'), declined)
    assert.equal((await changes('early')).at(-1), declined)
    const later = await pageFor('early')
    assert.equal((await later.client.call(startLinkOnPage)).body.state, 'linking')
    await step(later)
  })

  test('after the account was linked, which ends nothing', async () => {
    await unlinked('late', { links_after_seconds: 0.1 })
    const page = await pageFor('late')
    await page.client.call(startLinkOnPage)
    await page.reaches('linked')
    assert.equal(await refusal(page.client.call(declineLink)), gone)
    assert.equal(await statusOf('late'), 'connected')
  })
})

describe('is refused', () => {
  test('a page for a network that links no accounts, for an instance that is not there, and a life that is too long', async () => {
    const settings = { address: 'ana@nowhere.invalid' }
    const body = { name: 'jabber', network: 'xmpp', settings, credentials: { password: 'secret' } }
    await posthorn.admin.call(createInstance, { body })
    const make = (name: string, given: CreateLinkPage = {}) =>
      refusal(posthorn.admin.call(createLinkPage, { ...at(name), body: given }))
    assert.equal(await make('jabber'), '422 link_kind_not_supported')
    assert.equal(await make('nobodys'), '404 instance_not_found')
    assert.equal(await make('jabber', { expires_in_seconds: 604_801 }), '400 invalid_request')
    assert.equal(await refusal(posthorn.admin.call(revokeLinkPages, at('nobodys'))), '404 instance_not_found')
  })

  test('a token that opens no page, a key instead of one, and a page where a key is needed', async () => {
    await unlinked('guarded')
    const page = await pageFor('guarded')
    assert.equal(await refusal(posthorn.client(newToken('phl')).call(getLinkPage)), gone)
    for (const token of [posthorn.adminKey, page.token.slice(0, -1), page.token.replace('phl', 'phk')])
      assert.equal(await refusal(posthorn.client(token).call(getLinkPage)), '401 unauthenticated')
    for (const call of [
      () => page.client.call(listInstances),
      () => page.client.call(startLink, at('guarded')),
      () => page.client.call(createLinkPage, at('guarded')),
    ])
      assert.equal(await refusal(call()), '401 unauthenticated')
  })

  test('what is asked too often of one page, while others are answered', async () => {
    await unlinked('busy')
    const [busy, other] = [await pageFor('busy'), await pageFor('busy')]
    const begin = () => refusal(busy.client.call(startLinkOnPage, { body: { kind: 'code' } }))
    for (let begun = 0; begun < 20; begun++) assert.equal(await begin(), '400 invalid_request')
    assert.equal(await begin(), '429 rate_limited')
    assert.equal((await busy.view()).state, 'ready', 'it may still be read')
    const read = async () =>
      (await posthorn.client().rawRequest('GET', '/v1/link-page', bearer(busy.token))).status
    const answers = new Set<number>()
    for (let asked = 0; asked < 130; asked++) answers.add(await read())
    assert.deepEqual([...answers], [200, 429])
    assert.equal((await other.view()).state, 'ready')
  })
})

test('a server that does not know its URL makes no page, and says what to set', async () => {
  const nameless = await startPosthorn()
  try {
    const body = { name: 'shop', network: 'sandbox', settings: { link: 'qr' } }
    await nameless.admin.call(createInstance, { body, waitSeconds: 10 })
    const { status, problem } = await problemOf(nameless.admin.call(createLinkPage, at('shop')))
    assert.deepEqual([status, problem.code], [409, 'base_url_missing'])
    assert.match(problem.detail, /POSTHORN_BASE_URL/)
  } finally {
    await nameless.stop()
  }
})

test('the page itself is the same to everybody, is kept by nobody, and runs no script but its own', async () => {
  const { status, headers } = await fetch(`${posthorn.url}/link`)
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
  assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'.*require-trusted-types-for/)
  assert.deepEqual(
    ['referrer-policy', 'x-robots-tag', 'set-cookie'].map((name) => headers.get(name)),
    ['no-referrer', 'noindex', null],
  )
})

test('the token stands in no row of the store, and in no line of the log', async () => {
  await unlinked('secret')
  const { token, client } = await pageFor('secret')
  await client.call(startLinkOnPage)
  await posthorn.client().rawRequest('GET', `/v1/instances/${token}`, bearer(posthorn.adminKey))
  await posthorn.client().rawRequest('DELETE', `/v1/instances/${token}`, bearer(posthorn.adminKey))
  await (await fetch(`${posthorn.url}/link?${token}`)).text()
  const secret = token.slice(4, 40)
  for (const table of ['link_pages', 'audit', 'events', 'instances', 'idempotency'])
    assert.ok(!JSON.stringify(await rowsIn(posthorn.data, `select * from ${table}`)).includes(secret), table)
  assert.ok(log.length > 0 && !log.includes(secret))
})

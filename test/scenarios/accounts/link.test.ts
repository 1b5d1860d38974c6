import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import {
  createInstance,
  getInstanceStatus,
  restartInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getLink, logOutInstance, startLink } from '../../../src/contract/operations/link-operations.ts'
import type { StartLink } from '../../../src/contract/resources/instance.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { eventually, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { tamper } from '../../kit/rows.ts'

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
})
after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })

/** Creates an instance of the sandbox whose account must be linked; by default, it stays unlinked. */
async function unlinked(
  name: string,
  settings: object = {},
  credentials: Record<string, unknown> = {},
): Promise<void> {
  const own = { link: 'qr', links_after_seconds: 3600, ...settings }
  const body = { name, network: 'sandbox', settings: own, credentials }
  await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
}

const link = (name: string, body?: StartLink) =>
  posthorn.admin.call(startLink, { ...at(name), ...(body && { body }), waitSeconds: 10 })

const byCode = { kind: 'code', phone: '4915112345678' } as const

const refusal = async (call: Promise<unknown>) => {
  const { status, code } = await problemOf(call)
  return `${status} ${code}`
}

const statusOf = async (name: string) => (await posthorn.admin.call(getInstanceStatus, at(name))).body

function textIn(png: Uint8Array | undefined): string | undefined {
  assert.ok(png, 'there is no picture')
  const { data, width, height } = PNG.sync.read(Buffer.from(png))
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

describe('an account is linked', () => {
  test('by a QR code that a person scans: the step in JSON and in both pictures is the same', async () => {
    await unlinked('shop')
    const { status, body } = await posthorn.admin.call(startLink, { ...at('shop'), waitSeconds: 10 })
    assert.deepEqual([status, body.status, body.link?.kind], [202, 'awaiting_link', 'qr'])
    const step = await posthorn.admin.call(getLink, at('shop'))
    assert.deepEqual(step.body.link, body.link)
    assert.equal(step.headers['cache-control'], 'no-store')
    const png = await posthorn.admin.call(getLink, { ...at('shop'), accept: 'image/png' })
    assert.equal(png.headers['cache-control'], 'no-store')
    assert.equal(textIn(png.bytes), body.link?.value)
    const svg = await posthorn.admin.call(getLink, { ...at('shop'), accept: 'image/svg+xml' })
    assert.match(svg.text ?? '', /^<svg /)
  })

  test('by a code that a person types into the app of their phone', async () => {
    await unlinked('desk', { links_after_seconds: 0.2 })
    const body = { kind: 'code', phone: '+49 151-123.45678' } as const
    const started = await posthorn.admin.call(startLink, { ...at('desk'), body, waitSeconds: 10 })
    assert.equal(started.body.link?.kind, 'code')
    const picture = await problemOf(posthorn.admin.call(getLink, { ...at('desk'), accept: 'image/png' }))
    assert.equal(`${picture.status} ${picture.code}`, '406 not_acceptable')
    const over = await problemOf(posthorn.admin.call(getLink, at('desk')).then(() => waitUntilLinked('desk')))
    assert.equal(`${over.status} ${over.code}`, '409 no_link_step')
    const again = await problemOf(posthorn.admin.call(startLink, at('desk')))
    assert.equal(`${again.status} ${again.code}`, '409 already_linked')
  })
})

/** Reads one link step after the other, until there is none. */
async function waitUntilLinked(name: string): Promise<never> {
  for (;;) await posthorn.admin.call(getLink, { ...at(name), waitSeconds: 10 })
}

test('a person logs the account out, and links it again: the queue waits meanwhile', async () => {
  await unlinked('till', { links_after_seconds: 0.1 })
  await posthorn.admin.call(startLink, { ...at('till'), waitSeconds: 10 })
  await problemOf(waitUntilLinked('till'))
  const out = await posthorn.admin.call(logOutInstance, at('till'))
  assert.deepEqual([out.status, out.body.status, out.body.action], [202, 'logged_out', 'relink'])
  assert.equal(out.body.reason?.code, 'logged_out_by_request')
  const sent = await text(posthorn.admin, { instance: 'till', to: 'ana@accepts.sandbox' })
  const twice = await posthorn.admin.call(logOutInstance, at('till'))
  assert.deepEqual({ ...twice.body, queue: null }, { ...out.body, queue: null })
  await posthorn.admin.call(startLink, { ...at('till'), waitSeconds: 10 })
  await reaches(posthorn.admin, sent.id, 'sent')
})

test('a stopped instance begins to link its account, and one that nobody links is stopped again', async () => {
  await unlinked('idle', { link_step_seconds: 0.05 })
  await posthorn.admin.call(stopInstance, at('idle'))
  const none = await problemOf(posthorn.admin.call(getLink, at('idle')))
  assert.match(none.problem.detail, /stopped.*POST \/v1\/instances\/\{name\}\/link/)
  const { body } = await posthorn.admin.call(startLink, { ...at('idle'), waitSeconds: 10 })
  assert.equal(body.status, 'awaiting_link')
  await problemOf(waitUntilLinked('idle'))
  const { status, reason } = await statusOf('idle')
  assert.deepEqual([status, reason?.code], ['stopped', 'link_expired'])
})

describe('a link attempt', () => {
  test('shows one step after the other, and whoever waits gets the next', async () => {
    await unlinked('steps', { link_step_seconds: 0.5 })
    const seen = new Set<string>()
    const read = async (): Promise<never> => {
      for (;;) {
        const { body } = await posthorn.admin.call(getLink, { ...at('steps'), waitSeconds: 10 })
        assert.ok(Date.parse(body.link?.expires_at ?? '') > Date.now() - 500)
        seen.add(body.link?.value ?? '')
      }
    }
    assert.match((await problemOf(read())).problem.detail, /account was not linked in time/)
    assert.equal(seen.size, 3)
  })

  test('goes on in the way that was asked for, until somebody stops the instance', async () => {
    await unlinked('way')
    assert.equal((await link('way', byCode)).body.link?.kind, 'code')
    await posthorn.admin.call(restartInstance, { ...at('way'), waitSeconds: 10 })
    assert.equal((await posthorn.admin.call(getLink, at('way'))).body.link?.kind, 'code')
    await posthorn.admin.call(stopInstance, { ...at('way'), waitSeconds: 10 })
    await posthorn.admin.call(startInstance, { ...at('way'), waitSeconds: 10 })
    assert.equal((await posthorn.admin.call(getLink, at('way'))).body.link?.kind, 'qr')
  })

  test('that two people begin at once is one attempt', async () => {
    await unlinked('both', { links_after_seconds: 1 })
    const begun = await Promise.all([link('both'), link('both', byCode), link('both')])
    for (const { status } of begun) assert.equal(status, 202)
    const { problem } = await problemOf(waitUntilLinked('both'))
    assert.match(problem.detail, /connected/)
  })

  test('gives up credentials that the network has refused', async () => {
    await unlinked('refused', { links_after_seconds: 0.2 }, { token: 'refused' })
    assert.equal((await statusOf('refused')).status, 'logged_out')
    assert.match((await problemOf(posthorn.admin.call(getLink, at('refused')))).problem.detail, /logged out/)
    assert.equal((await link('refused')).body.status, 'awaiting_link')
    await problemOf(waitUntilLinked('refused'))
    assert.equal((await statusOf('refused')).status, 'connected')
  })
})

describe('is refused', () => {
  test('a link of an account that is linked, whether it is connected, on its way there, or stopped', async () => {
    await unlinked('open', {}, { token: 'open-sesame' })
    const settings = { link: 'qr', behaviour: 'unreachable' }
    const body = { name: 'away', network: 'sandbox', settings, credentials: { token: 'open-sesame' } }
    await posthorn.admin.call(createInstance, { body })
    const isAway = async () => (await statusOf('away')).status === 'reconnecting'
    await eventually('the connection to fail', isAway, (away) => away)
    for (const name of ['open', 'away']) assert.equal(await refusal(link(name)), '409 already_linked')
    await posthorn.admin.call(stopInstance, { ...at('open'), waitSeconds: 10 })
    assert.equal(await refusal(link('open')), '409 already_linked')
    assert.equal((await statusOf('open')).status, 'stopped')
  })

  test('a phone number that is missing, of no use, or not one', async () => {
    await unlinked('phone')
    const faults: readonly [StartLink, string][] = [
      [{ kind: 'code' }, '/phone missing'],
      [{ kind: 'qr', phone: '+49 151 12345678' }, '/phone requires_kind_code'],
      [{ phone: '+49 151 12345678' }, '/phone requires_kind_code'],
      ...['0151 12345678', '+0 151 12345678', '123456', '1234567890123456', '49+15112345678', '+', 'ana'].map(
        (phone): [StartLink, string] => [{ kind: 'code', phone }, '/phone wrong_form'],
      ),
    ]
    for (const [body, fault] of faults) {
      const { problem } = await problemOf(link('phone', body))
      assert.deepEqual(
        problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
        [fault],
        JSON.stringify(body),
      )
    }
    assert.equal((await statusOf('phone')).link?.kind, 'qr', 'the attempt goes on')
  })

  test('a network that does not link accounts, and a logout there', async () => {
    const settings = { address: 'ana@nowhere.invalid' }
    const body = { name: 'jabber', network: 'xmpp', settings, credentials: { password: 'secret' } }
    await posthorn.admin.call(createInstance, { body })
    const { problem } = await problemOf(link('jabber'))
    assert.equal(problem.code, 'link_kind_not_supported')
    assert.match(problem.detail, /needs only credentials/)
    assert.equal(await refusal(posthorn.admin.call(logOutInstance, at('jabber'))), '422 logout_not_supported')
  })

  test('everything about the link of an instance that is being removed', async () => {
    await unlinked('leaving')
    const query = "update instances set wanted = 'removed', status = 'deleting' where name = 'leaving'"
    await tamper(posthorn.data, { sqlite: query, postgres: query })
    const { admin } = posthorn
    assert.equal(await refusal(link('leaving')), '409 instance_deleting')
    assert.equal(await refusal(admin.call(getLink, at('leaving'))), '409 instance_deleting')
    assert.equal(await refusal(admin.call(logOutInstance, at('leaving'))), '409 instance_deleting')
  })

  test('a picture in a type that there is not', async () => {
    await unlinked('drawn')
    const call = posthorn.admin.call(getLink, { ...at('drawn'), accept: 'image/webp' })
    assert.equal(await refusal(call), '406 not_acceptable')
  })
})

describe('a logout', () => {
  test('needs a connection', async () => {
    await unlinked('waiting')
    const { problem } = await problemOf(posthorn.admin.call(logOutInstance, at('waiting')))
    assert.equal(problem.code, 'instance_not_connected')
    assert.match(problem.detail, /once it is connected, or remove/)
    assert.equal((await statusOf('waiting')).status, 'awaiting_link')
  })

  test('that the network does not confirm changes nothing', async () => {
    const settings = { behaviour: 'goes_silent', after_seconds: 0 }
    await unlinked('silent', settings, { token: 'open-sesame' })
    const { problem } = await problemOf(posthorn.admin.call(logOutInstance, at('silent')))
    assert.match(problem.detail, /did not confirm in time/)
    assert.equal((await statusOf('silent')).status, 'connected')
    assert.equal(await refusal(link('silent')), '409 already_linked')
  })

  test('is undone by a start that links again, also where no link was needed before', async () => {
    await posthorn.admin.call(createInstance, {
      body: { name: 'plain', network: 'sandbox' },
      waitSeconds: 10,
    })
    await Promise.all([1, 2, 3].map(() => posthorn.admin.call(logOutInstance, at('plain'))))
    assert.equal((await statusOf('plain')).reason?.code, 'logged_out_by_request')
    await posthorn.admin.call(startInstance, { ...at('plain'), waitSeconds: 10 })
    assert.equal((await statusOf('plain')).link?.kind, 'qr')
  })
})

test('a server that restarts in the middle of a link attempt begins another, in the way of the network', async () => {
  const first = await startPosthorn()
  const own = { link: 'qr', links_after_seconds: 3600 }
  const body = { name: 'shop', network: 'sandbox', settings: own }
  await first.admin.call(createInstance, { body, waitSeconds: 10 })
  const before = await first.admin.call(startLink, { ...at('shop'), body: byCode, waitSeconds: 10 })
  const second = await first.restart()
  try {
    const { body: after } = await second.admin.call(getLink, { ...at('shop'), waitSeconds: 10 })
    assert.equal(before.body.link?.kind, 'code')
    assert.equal(after.link?.kind, 'qr')
  } finally {
    await second.stop()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LinkWay } from '../../../../src/networks/driver/abilities/linking.ts'
import { type LawFixture, law, present } from '../fixture.ts'
import type { Account, Harness } from '../harness.ts'

/** Laws of accounts that a person links by a QR code or a pairing code, and of those that can be logged out. */
export function linkLaws(harness: Harness): void {
  const { linking: declared } = harness.driver
  const ordered = (['qr', 'code'] as const).filter((kind) => declared?.kinds.includes(kind))
  test('a person can order a link if the driver has linking', () => {
    assert.equal(declared !== undefined, ordered.length > 0)
    assert.equal(harness.unlinkedAccount !== undefined, ordered.length > 0)
  })
  for (const kind of ordered) linking(harness, kind)
  law(harness, 'an account can be logged out if the network can do that', async (fixture) => {
    const { connection } = await fixture.open()
    assert.equal(connection.linking !== undefined, declared !== undefined)
  })
  if (declared) loggingOut(harness)
  unlinking(harness)
}

function linking(harness: Harness, kind: LinkWay['kind']): void {
  const { driver } = harness
  law(
    harness,
    `a person links an account by the kind ${kind}, and the next connection asks nobody`,
    async (fixture) => {
      const { account, phone, link } = await present(harness.unlinkedAccount).call(harness)
      assert.equal(isLinked(fixture, account), false)
      const way: LinkWay = kind === 'qr' ? { kind } : { kind, phone }
      const session = fixture.connect(account, { link: way })
      const { step } = await session.seen('link-step')
      assert.equal(step.kind, kind)
      assert.ok(step.expires_at > Date.now() && step.value !== '')
      assert.equal(isLinked(fixture, account), false, 'it is not linked because a step is shown')
      await link(step)
      await session.seen('connection-opened')
      assert.equal(isLinked(fixture, account), true)
      await session.close()
      const next = await fixture.open(account)
      assert.equal(next.count('link-step'), 0)
    },
    'unlinkedAccount',
  )
  law(
    harness,
    `a connection that is closed while it shows a step of the kind ${kind} leaves the account as it was`,
    async (fixture) => {
      const { account, phone } = await present(harness.unlinkedAccount).call(harness)
      const way: LinkWay = kind === 'qr' ? { kind } : { kind, phone }
      const session = fixture.connect(account, { link: way })
      await session.seen('link-step')
      await session.close()
      assert.equal(isLinked(fixture, account), false)
      const next = fixture.connect(account, { link: way })
      assert.equal((await next.seen('link-step')).step.kind, kind)
    },
    'unlinkedAccount',
  )
  if (kind === 'qr') {
    law(
      harness,
      'without an order, the driver links in its own way',
      async (fixture) => {
        const { account } = await present(harness.unlinkedAccount).call(harness)
        const { step } = await fixture.connect(account).seen('link-step')
        assert.ok(driver.linking?.kinds.includes(step.kind))
      },
      'unlinkedAccount',
    )
  }
}

function loggingOut(harness: Harness): void {
  law(harness, 'an account that is logged out must be linked again', async (fixture) => {
    const account = await harness.newAccount()
    const session = await fixture.open(account)
    assert.equal(await session.connection.linking?.logOut(), 'confirmed')
    assert.equal(session.count('credentials-refused') + session.count('connection-lost'), 0)
    assert.equal(isLinked(fixture, account), false)
    await session.close()
    await fixture.connect(account).seen('link-step')
  })
  law(harness, 'through a closed connection, nobody is logged out', async (fixture) => {
    const account = await harness.newAccount()
    const session = await fixture.open(account)
    await session.close()
    assert.equal(await session.connection.linking?.logOut(), 'unreachable')
    assert.equal(isLinked(fixture, account), true)
    await fixture.open(account)
  })
}

function unlinking(harness: Harness): void {
  for (const when of ['while it is connected', 'while it is not connected'] as const)
    law(
      harness,
      `an account that its person unlinks ${when} is refused once, and must be linked again`,
      async (fixture) => {
        const account = await harness.newAccount()
        const before = await fixture.open(account)
        if (when === 'while it is not connected') await before.close()
        await present(harness.unlink).call(harness, account)
        const session = when === 'while it is connected' ? before : fixture.connect(account)
        await session.seen('credentials-refused')
        await fixture.settle()
        assert.deepEqual([session.count('credentials-refused'), session.count('connection-lost')], [1, 0])
        assert.equal(isLinked(fixture, account), false)
        await fixture.connect(account).seen('link-step')
      },
      'unlink',
    )
}

function isLinked(fixture: LawFixture, account: Account): boolean | undefined {
  return fixture.harness.driver.linking?.isLinked(account.settings, fixture.credentialsOf(account))
}

import assert from 'node:assert/strict'
import { Compile } from 'typebox/compile'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { closeRepeatedly, type LawFixture, law, present } from '../fixture.ts'
import type { Account, Harness } from '../harness.ts'
import { newText } from '../session.ts'
import { within } from '../signals.ts'

/** Laws of a connection from its beginning to its end. */
export function connectionLaws(harness: Harness): void {
  beginnings(harness)
  refusals(harness)
  endings(harness)
  messagesAtTheEnd(harness)
  breaks(harness)
  messagesInBreaks(harness)
  questions(harness)
  removals(harness)
}

function beginnings(harness: Harness): void {
  const { driver } = harness
  law(harness, 'the account of the far end has valid settings and credentials', async () => {
    const { settings, credentials } = await harness.newAccount()
    assert.ok(Compile(driver.settings).Check(settings))
    assert.ok(Compile(driver.credentials).Check(credentials))
    assert.deepEqual(driver.check(settings, credentials), [])
  })
  law(harness, 'connect returns at once, and the opening is reported once', async (fixture) => {
    const account = await harness.newAccount()
    const before = process.threadCpuUsage()
    const session = fixture.connect(account)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 100_000, 'connect works for less than 100 ms')
    await session.seen('connection-opened')
    await fixture.settle()
    assert.equal(session.count('connection-opened'), 1)
    assert.equal(session.count('connection-lost'), 0)
  })
  law(harness, 'a probe is answered', async (fixture) => {
    const session = await fixture.open()
    session.connection.probe()
    await session.seen('connection-verified')
    assert.equal(session.count('connection-lost'), 0)
  })
  law(
    harness,
    'a connection that waits for no answer has no timer, since there may be thousands',
    async (fixture) => {
      const recipient = await fixture.recipient()
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
      const before = timers()
      const session = await fixture.open()
      await fixture.deliver(session, recipient)
      session.connection.probe()
      await session.seen('connection-verified')
      assert.ok(timers() <= before)
    },
  )
  law(harness, 'an account is known by one normalised address, where it is told', async (fixture) => {
    const session = await fixture.open()
    await fixture.settle()
    const addresses = session.observations.all.flatMap((seen) =>
      seen.kind === 'account-known' ? [seen.address] : [],
    )
    assert.ok(new Set(addresses).size <= 1)
  })
}

function refusals(harness: Harness): void {
  law(
    harness,
    'refused credentials are reported once, and nothing else',
    async (fixture) => {
      const session = fixture.connect(await present(harness.refusedAccount).call(harness))
      await session.seen('credentials-refused')
      await fixture.settle()
      assert.deepEqual(
        session.observations.all.map((observation) => observation.kind),
        ['credentials-refused'],
      )
      fixture.isUnsent(await session.send((await fixture.recipient()).address, newText()))
    },
    'refusedAccount',
  )
  law(
    harness,
    'a network that cannot be reached is a lost connection, reported once',
    async (fixture) => {
      const session = fixture.connect(await present(harness.unreachableAccount).call(harness))
      await session.seen('connection-lost')
      await fixture.settle()
      assert.deepEqual(
        session.observations.all.map((observation) => observation.kind),
        ['connection-lost'],
      )
    },
    'unreachableAccount',
  )
}

// Nothing may be reported after the end: the session notes it as a fault, and every law ends with its faults.
function endings(harness: Harness): void {
  law(harness, 'close is idempotent and may be asked for several times at once', async (fixture) => {
    const session = await fixture.open()
    await session.close()
    await closeRepeatedly(session.connection)
    await fixture.settle()
  })
  law(harness, 'a connection closed before it opened reports nothing', async (fixture) => {
    const session = fixture.connect(await harness.newAccount())
    await session.close()
    await fixture.settle()
    assert.deepEqual(session.observations.all, [])
  })
  law(harness, 'a connection whose signal has aborted reports nothing', async (fixture) => {
    const session = fixture.connect(await harness.newAccount(), { aborted: true })
    await fixture.settle()
    assert.deepEqual(session.observations.all, [])
  })
}

function messagesAtTheEnd(harness: Harness): void {
  for (const how of ['close', 'abort'] as const) {
    law(harness, `nothing is reported after ${how}, whatever was on its way`, async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const outcome = await session.send(recipient.address, newText())
      assert.equal(outcome.kind, 'accepted')
      session.connection.probe()
      const ending = session[how]()
      await ending
      await fixture.settle()
    })
    law(
      harness,
      `a message sent after ${how} is not sent, and the driver does not say that it was`,
      async (fixture) => {
        const session = await fixture.open()
        const recipient = await fixture.recipient()
        await session[how]()
        if (how === 'abort') await session.close()
        const id = newMessageId()
        fixture.isUnsent(await session.send(recipient.address, newText(), { id }))
        session.connection.probe()
        await fixture.settle()
        assert.ok(!recipient.arrivals.all.some((arrival) => arrival.id === id))
      },
    )
    law(
      harness,
      `a message that waits for its answer is uncertain after ${how}`,
      async (fixture) => {
        const account = await harness.newAccount()
        const session = await fixture.open(account)
        const address = await present(harness.unanswered).call(harness, account)
        const sending = session.send(address, newText())
        await session[how]()
        if (how === 'abort') await session.close()
        fixture.isUnanswered(await sending)
        await fixture.settle()
      },
      'unanswered',
    )
  }
}

function breaks(harness: Harness): void {
  law(harness, 'a cut line is reported once, and the connection can still be closed', async (fixture) => {
    const account = await harness.newAccount()
    const session = await fixture.open(account)
    await harness.cut(account)
    // A driver may need the probe to notice; the runtime sends one to a silent connection.
    session.connection.probe()
    await session.seen('connection-lost')
    session.abandon()
    session.abandon()
    await fixture.settle()
    assert.equal(session.count('connection-lost'), 1)
    assert.equal(session.observations.all.at(-1)?.kind, 'connection-lost', 'it is the last report')
    fixture.isUnsent(await session.send((await fixture.recipient()).address, newText()))
    await closeRepeatedly(session.connection)
  })
  law(
    harness,
    'a connection that somebody else takes over is lost once, and says so',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      await present(harness.takeOver).call(harness, account)
      const { takenOver } = await session.seen('connection-lost')
      assert.equal(takenOver, true)
      await fixture.settle()
      assert.equal(session.count('connection-lost'), 1)
      await fixture.deliver(await fixture.open(account), await fixture.recipient())
    },
    'takeOver',
  )
  law(harness, 'an account whose line was cut connects again, and its messages arrive', async (fixture) => {
    const account = await harness.newAccount()
    const session = await fixture.open(account)
    const recipient = await fixture.recipient()
    await fixture.deliver(session, recipient)
    await harness.cut(account)
    session.connection.probe()
    const { resumption } = await session.seen('connection-lost')
    const next = await fixture.open(account, resumption && { resumption })
    await fixture.deliver(next, recipient)
  })
}

function messagesInBreaks(harness: Harness): void {
  law(
    harness,
    'a message that waits while the line is cut for good is uncertain',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const address = await present(harness.unanswered).call(harness, account)
      const sending = session.send(address, newText())
      await harness.cut(account)
      session.connection.probe()
      const { resumption } = await session.seen('connection-lost')
      resumption?.abandon()
      fixture.isUnanswered(await sending)
    },
    'unanswered',
  )
  law(
    harness,
    'a message that comes again while it waits has an outcome for each attempt',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const address = await present(harness.unanswered).call(harness, account)
      const [id, text] = [newMessageId(), newText()]
      const attempts = [1, 2, 3].map((attempt) => session.send(address, text, { id, attempt }))
      await session.close()
      for (const outcome of await Promise.all(attempts)) fixture.isUnanswered(outcome)
    },
    'unanswered',
  )
  law(
    harness,
    'a message that waits while the line is cut gets its outcome when the connection resumes',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const address = await present(harness.unanswered).call(harness, account)
      const sending = session.send(address, newText())
      await harness.cut(account)
      session.connection.probe()
      const { resumption } = await session.seen('connection-lost')
      const next = await fixture.open(account, resumption && { resumption })
      const outcome = await sending
      if (!resumption || outcome.kind !== 'accepted') fixture.isUnanswered(outcome)
      assert.equal(next.count('connection-opened'), 1)
    },
    'unanswered',
  )
}

/** A question that the network asks when an account is linked goes on to a person, and their answer to the network. */
function questions(harness: Harness): void {
  const asks = harness.driver.linking?.kinds.includes('question') ?? false
  law(harness, 'what can answer a question is there if the network asks any', async (fixture) => {
    const { connection } = await fixture.open()
    assert.equal(connection.linking?.answer !== undefined, asks)
    assert.equal((await connection.linking?.answer?.('nobody asked'))?.kind, asks ? 'not_asked' : undefined)
  })
  if (!asks) return
  law(
    harness,
    'a wrong answer is refused, the right one opens the connection, and nothing is asked again',
    async (fixture) => {
      const { account, answer } = await present(harness.askedAccount).call(harness)
      const session = fixture.connect(account)
      const { step } = await session.seen('link-step')
      assert.equal(step.kind, 'question')
      const answerLink = present(session.connection.linking?.answer)
      assert.equal((await answerLink('surely not this')).kind, 'rejected')
      assert.equal((await answerLink(answer(step.value))).kind, 'accepted')
      await session.seen('connection-opened')
      assert.equal((await answerLink(answer(step.value))).kind, 'not_asked')
      await session.close()
      const again = await fixture.open(account)
      assert.equal(again.count('link-step'), 0)
    },
    'askedAccount',
  )
}

function isRemovalNeeded(fixture: LawFixture, account: Account): boolean {
  const read = () => fixture.credentialsOf(account)
  return present(fixture.harness.driver.removal).isNeeded(account.settings, { read })
}

function removals(harness: Harness): void {
  law(
    harness,
    'a connection can remove its account if the driver has a removal, and only then',
    async (fixture) => {
      const { connection } = await fixture.open()
      assert.equal(connection.remove !== undefined, harness.driver.removal !== undefined)
    },
  )
  for (const when of ['while it opens', 'once it is open'] as const) {
    law(
      harness,
      `a connection removes its account ${when}`,
      async (fixture) => {
        const account = await present(harness.removableAccount).call(harness)
        assert.ok(isRemovalNeeded(fixture, account))
        const session = fixture.connect(account)
        if (when === 'once it is open') await session.seen('connection-opened')
        const removed = present(session.connection.remove).call(session.connection)
        assert.equal(await within(fixture.timeout, 'the removal', removed), true)
      },
      'removableAccount',
    )
  }
}

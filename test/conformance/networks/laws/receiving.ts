import assert from 'node:assert/strict'
import type { CaughtUp } from '../../../../src/networks/driver/abilities/catching-up.ts'
import { maxPictureBytes } from '../../../../src/networks/driver/abilities/pictures.ts'
import type { MessageReceived } from '../../../../src/networks/driver/observation.ts'
import { type LawFixture, law, present } from '../fixture.ts'
import type { Account, Harness } from '../harness.ts'
import { newText, type Session } from '../session.ts'

/** Laws of messages to the account. Every law looks at their form, such as normalised addresses. */
export function receivingLaws(harness: Harness): void {
  arrivals(harness)
  files(harness)
  people(harness)
  reading(harness)
  asking(harness)
  pictures(harness)
  gaps(harness)
  gapsByTime(harness)
}

function arrivals(harness: Harness): void {
  law(
    harness,
    'a message to the account is reported with its writer, its text and the time',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      for (const text of [
        newText(),
        `${newText()} <ol>&amp; 😀\nשלום`,
        `${newText()} ${'a😀'.repeat(2_000)}`,
      ]) {
        const began = Date.now()
        const from = await write(harness, account, text)
        const received = await arrived(session, text)
        assert.deepEqual([received.from, received.conversation, received.file], [from, from, null])
        // If the network gives the time, its clock may be a little behind, and only precise to the second.
        assert.ok(received.at > began - 60_000, 'it came just now')
      }
    },
    'writeTo',
  )
  law(
    harness,
    'messages to the account are reported in order, each once and under an id of its own',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const text = newText()
      const texts = [text, text, ...Array.from({ length: 20 }, newText)]
      for (const written of texts) await write(harness, account, written)
      await arrived(session, texts.at(-1) ?? '')
      await fixture.settle()
      const received = receivedIn(session)
      assert.deepEqual(
        received.map((message) => message.text),
        texts,
      )
      assert.equal(new Set(received.map((message) => message.network_message_id)).size, texts.length)
    },
    'writeTo',
  )
}

/** Laws of senders and recipients that have more than one address or another client. */
function people(harness: Harness): void {
  law(
    harness,
    'a message from somebody with several addresses tells all of them, the most lasting first',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const text = newText()
      const addresses = await present(harness.writeFromEach).call(harness, account, text)
      for (const address of addresses) {
        const received = await session.seen('message-received', ({ from }) => from === address)
        assert.deepEqual([received.text, received.conversation], [text, address])
        // A person who hides an address does not tell it.
        if (received.addresses) assert.deepEqual(received.addresses, addresses)
      }
      const all = receivedIn(session)
      assert.ok(all.some((received) => received.addresses))
    },
    'writeFromEach',
  )
  law(
    harness,
    'what the account sends from another client is reported, and is not taken for what somebody wrote',
    async (fixture) => {
      assert.ok(harness.driver.abilities.sent_elsewhere)
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      const text = newText()
      const to = await present(harness.sendElsewhere).call(harness, account, text)
      const seen = await session.seen('message-sent-elsewhere')
      assert.deepEqual([seen.conversation, seen.text, seen.file], [to, text, null])
      await fixture.settle()
      assert.deepEqual(receivedIn(session), [])
    },
    'sendElsewhere',
  )
}

/** A connection can mark what it brought as read exactly if the network has that ability. */
function reading(harness: Harness): void {
  law(harness, 'what can mark a message as read is there if the network can', async (fixture) => {
    const { connection } = await fixture.open()
    assert.equal(connection.markRead !== undefined, harness.driver.abilities.marks_read)
  })
  if (!harness.driver.abilities.marks_read) return
  law(
    harness,
    'a message that came in is marked as read, until the connection is closed',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      await write(harness, account, newText())
      const {
        network_message_id,
        sender_message_id = null,
        ...place
      } = await session.seen('message-received')
      const name = {
        network_message_id,
        sender_message_id,
        conversation: place.conversation,
        from: place.from,
      }
      const mark = present(session.connection.markRead).bind(session.connection, name)
      assert.deepEqual([(await mark()).kind, (await mark()).kind], ['accepted', 'accepted'])
      await session.close()
      assert.equal((await mark()).kind, 'uncertain')
    },
    'writeTo',
  )
}

/** A connection can check addresses, and show that the account is writing, exactly if the network has that ability. */
function asking(harness: Harness): void {
  const { addressChecks, abilities } = harness.driver
  law(
    harness,
    'what can check addresses, show typing, and find pictures, is there if the network can',
    async (fixture) => {
      const { connection } = await fixture.open()
      assert.equal(connection.checkAddresses !== undefined, addressChecks !== undefined)
      assert.equal(connection.showTyping !== undefined, abilities.typing !== undefined)
      assert.equal(connection.findPicture !== undefined, abilities.pictures === true)
    },
  )
  if (addressChecks)
    law(
      harness,
      'addresses that people have are told from others, until the connection is closed',
      async (fixture) => {
        const session = await fixture.open()
        const check = present(session.connection.checkAddresses).bind(session.connection)
        const known = await harness.newRecipient(() => {})
        const unknown = harness.unknownRecipient ? [await harness.unknownRecipient()] : []
        const { signal } = new AbortController()
        const answer = await check([known, ...unknown], signal)
        assert.ok(answer.kind === 'checked', answer.kind)
        assert.deepEqual(
          answer.addresses.map(({ asked, exists }) => [asked, exists]),
          [[known, 'yes'], ...unknown.map((address) => [address, 'no'])],
        )
        await session.close()
        assert.equal((await check([known], signal)).kind, 'unanswered')
      },
    )
  if (abilities.typing)
    law(
      harness,
      'that the account is writing is shown, and dropped once the connection is closed',
      async (fixture) => {
        const session = await fixture.open()
        const show = present(session.connection.showTyping).bind(session.connection)
        const to = await harness.newRecipient(() => {})
        await show(to, 2)
        await session.close()
        await show(to, 2)
      },
    )
}

function pictures(harness: Harness): void {
  if (harness.driver.abilities.pictures)
    law(
      harness,
      'the picture of a person is found or known to be missing, until the connection is closed',
      async (fixture) => {
        const session = await fixture.open()
        const find = present(session.connection.findPicture).bind(session.connection)
        const known = await harness.newRecipient(() => {})
        const { signal } = new AbortController()
        const answer = await find(known, signal)
        assert.ok(['found', 'at-url', 'none'].includes(answer.kind), answer.kind)
        if (answer.kind === 'found') assert.ok(answer.bytes.length <= maxPictureBytes)
        await session.close()
        assert.equal((await find(known, signal)).kind, 'unanswered')
      },
    )
}

function files(harness: Harness): void {
  for (const caption of [null, `${newText()} <&> 😀`]) {
    law(
      harness,
      `a file to the account is reported with its URL and ${caption ? 'its caption' : 'no text'}`,
      async (fixture) => {
        const account = await harness.newAccount()
        const session = await fixture.open(account)
        const url = 'https://files.example.org/a%20b/view%20of%20%C3%A5.png'
        const from = await present(harness.sendFileTo).call(harness, account, { url, caption })
        const { file, ...received } = await session.seen('message-received')
        assert.deepEqual([received.from, received.text], [from, caption])
        assert.ok(file && 'url' in file)
        assert.equal(file.url, url)
        assert.ok(file.filename === null || file.filename === 'view of å.png', `called ${file.filename}`)
      },
      'sendFileTo',
    )
  }
}

function gaps(harness: Harness): void {
  law(
    harness,
    'what is written after the end of a connection is not reported by it',
    async (fixture) => {
      const account = await harness.newAccount()
      const session = await fixture.open(account)
      await session.close()
      await writeToAbsent(harness, account, newText())
      await fixture.settle()
    },
    'writeToAbsent',
  )
  law(
    harness,
    'a connection says once that nothing is missing up to now',
    async (fixture) => {
      const session = await fixture.open()
      await session.seen('caught-up', ({ through }) => through === null)
      await fixture.settle()
      const said = session.observations.all.filter((seen) => seen.kind === 'caught-up')
      assert.deepEqual(said, [{ kind: 'caught-up', through: null }])
    },
    'writeToAbsent',
  )
  law(
    harness,
    'what was written in a gap is reported behind the mark, oldest first',
    async (fixture) => {
      const account = await harness.newAccount()
      const { last, lastId, missed } = await gap(harness, fixture, account)
      const session = await fixture.open(account, { caughtUp: { mark: last, at: Date.now() } })
      const later = newText()
      await session.seen('caught-up', ({ through }) => through === null)
      assert.deepEqual(textsOf(session, lastId), missed, 'before it says that nothing is missing')
      await write(harness, account, later)
      await arrived(session, later)
      assert.deepEqual(textsOf(session, lastId), [...missed, later])
    },
    'writeToAbsent',
  )
}

function gapsByTime(harness: Harness): void {
  for (const [what, id] of [
    ['the mark names no message', null],
    ['the network does not know the one that it names', 'never-heard-of'],
  ] as const) {
    law(
      harness,
      `what was written in a gap is reported by the time where ${what}, under the ids that it has`,
      async (fixture) => {
        const account = await harness.newAccount()
        const began = Date.now()
        const { last, before, missed } = await gap(harness, fixture, account)
        const position: CaughtUp = { mark: id, at: began }
        const ids = []
        for (const _ of [1, 2]) {
          const session = await fixture.open(account, { caughtUp: position })
          await arrived(session, missed.at(-1) ?? '')
          assert.deepEqual(textsOf(session), [before, ...missed])
          ids.push(new Set(receivedIn(session).map((message) => message.network_message_id)))
          await session.close()
        }
        assert.deepEqual(ids[0], ids[1], 'a message has the same id however often it comes')
        assert.ok(ids[0]?.has(last), 'also where it was reported when it was written')
      },
      'archived',
    )
  }
}

/** One message to an account that is connected, and two that come while it is not. */
async function gap(harness: Harness, fixture: LawFixture, account: Account) {
  const [before, ...missed] = [newText(), newText(), newText()]
  const session = await fixture.open(account)
  await write(harness, account, before)
  const { network_message_id: lastId, mark: last = lastId } = await arrived(session, before)
  // A network that waits for an acknowledgement has it, and does not send the message again.
  await fixture.settle()
  await session.close()
  for (const text of missed) await writeToAbsent(harness, account, text)
  return { last, lastId, before, missed }
}

function write(harness: Harness, account: Account, text: string): Promise<string> {
  return present(harness.writeTo).call(harness, account, text)
}

function writeToAbsent(harness: Harness, account: Account, text: string): Promise<string> {
  return present(harness.writeToAbsent).call(harness, account, text)
}

function arrived(session: Session, text: string): Promise<MessageReceived> {
  return session.seen('message-received', (seen) => seen.text === text)
}

function receivedIn(session: Session): readonly MessageReceived[] {
  return session.observations.all.filter((seen) => seen.kind === 'message-received')
}

/**
 * Returns the texts in order, each once, as a store keeps them. The message of the id `known` is left out, too, if the
 * connection on which it came ended before the network could be told.
 */
function textsOf(session: Session, known?: string): readonly (string | null)[] {
  const received = receivedIn(session).filter(({ network_message_id }) => network_message_id !== known)
  return [...new Set(received.map(({ text }) => text))]
}

import assert from 'node:assert/strict'
import { NetFailure } from '../../../../src/net/failure.ts'
import type { FileRequest } from '../../../../src/networks/driver/abilities/files.ts'
import { type LawFixture, law, present } from '../fixture.ts'
import type { Account, Harness } from '../harness.ts'
import { newText, type Session } from '../session.ts'

/** Laws of received files that only a connection can open. */
export function referenceLaws(harness: Harness): void {
  const referenceLaw = (name: string, body: (play: Play) => Promise<void>) =>
    law(harness, name, async (fixture) => body(await share(harness, fixture)), 'sendReferencedFileTo')

  referenceLaw('a reference leads to the same bytes, in every connection', async ({ fixture, ...play }) => {
    assert.equal(await read(play.session, play.reference), play.text)
    assert.equal(await read(play.session, play.reference), play.text, 'again')
    await play.session.close()
    assert.equal(await read(await fixture.open(play.account), play.reference), play.text, 'later')
  })
  referenceLaw('a file that is larger than asked for is refused for good', async ({ session, ...play }) => {
    const largest = Buffer.byteLength(play.text)
    assert.equal(await read(session, play.reference, { largest }), play.text)
    const failure = await failureOf(read(session, play.reference, { largest: largest - 1 }))
    assert.deepEqual([failure.reason, failure.permanent], ['too_large', true])
  })
  referenceLaw(
    'an aborted signal ends the opening of a file, and a body that is not there yet',
    async ({ session, reference, text }) => {
      const ending = new AbortController()
      const request = { largest: 1_000_000, signal: ending.signal }
      const { body } = await open(session, reference, request)
      ending.abort()
      const late = await body.toArray().then(
        (chunks) => String(Buffer.concat(chunks)),
        () => text,
      )
      assert.equal(late, text, 'all of it, or nothing')
      await assert.rejects(open(session, reference, request))
    },
  )
  referenceLaw('a reference that the network does not know leads nowhere for good', async ({ session }) => {
    for (const unknown of ['never-heard-of', 'x'])
      assert.equal((await failureOf(read(session, unknown))).permanent, true)
  })
  referenceLaw('a connection that has ended opens nothing, for now', async ({ session, reference }) => {
    await session.close()
    assert.equal((await failureOf(read(session, reference))).permanent, false)
  })
}

interface Play {
  readonly fixture: LawFixture
  readonly account: Account
  readonly session: Session
  readonly reference: string
  readonly text: string
}

/** A person sends a file to an account. */
async function share(harness: Harness, fixture: LawFixture): Promise<Play> {
  const account = await harness.newAccount()
  const session = await fixture.open(account)
  const text = `${newText()} <&> 😀`
  const from = await present(harness.sendReferencedFileTo).call(harness, account, text)
  const { file, ...received } = await session.seen('message-received')
  assert.equal(received.from, from)
  assert.ok(file && 'reference' in file)
  return { fixture, account, session, reference: file.reference, text }
}

async function open({ connection }: Session, reference: string, request: Partial<FileRequest> = {}) {
  const usual = { largest: 1_000_000, signal: new AbortController().signal }
  return await present(connection.files?.open)(reference, { ...usual, ...request })
}

async function read(session: Session, reference: string, request: Partial<FileRequest> = {}) {
  const { body } = await open(session, reference, request)
  return String(Buffer.concat(await body.toArray()))
}

async function failureOf(work: Promise<unknown>): Promise<NetFailure> {
  const failure = await work.then(
    () => null,
    (caught: unknown) => caught,
  )
  assert.ok(failure instanceof NetFailure, `it did not fail as a fetch does: ${String(failure)}`)
  return failure
}

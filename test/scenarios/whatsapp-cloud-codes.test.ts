import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  getInstance,
  replaceCredentials,
  startInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTemplateMessage } from '../../src/contract/operations/message-operations.ts'
import type { Message } from '../../src/contract/resources/message.ts'
import { sampleHeads } from '../kit/media-samples.ts'
import { type CloudNumber, CloudStage } from '../kit/networks/cloud-stage.ts'
import { eventually, reaches, text } from '../kit/play.ts'

/*
 * Every error code of the Cloud API: in the answer to a message, in the answer to an upload, and as a failed status. The table is
 * written from Meta's list of error codes (Support, Error codes, May 2026), not from the one of the driver.
 */

interface Row {
  readonly codes: readonly number[]
  /** What the message says. */
  readonly error: string
  /**
   * `fails`: for good. `again`: a second attempt is sent. `again once`: the second refusal is for good. `later`: after seconds, for
   * this person (`person`) or for the whole number (`number`). `restricted`: for an hour. `ends`: the connection.
   */
  readonly becomes:
    | 'fails'
    | 'again'
    | 'again once'
    | { readonly later: 'person' | 'number' }
    | { readonly restricted: 'all_messages' | 'new_contacts' }
    | { readonly ends: 'logged_out' | 'failed'; readonly reason: string }
  /** About the request and not the message, so it never is the error of a status. */
  readonly onlyAnswer?: true
}

const fails = (error: string, ...codes: number[]): Row => ({ codes, error, becomes: 'fails' })
const again = (error: string, ...codes: number[]): Row => ({ codes, error, becomes: 'again' })
const ends = (status: 'logged_out' | 'failed', reason: string, error: string, ...codes: number[]): Row => {
  return { codes, error, becomes: { ends: status, reason }, onlyAnswer: true }
}

const table: readonly Row[] = [
  ends('logged_out', 'token_refused', 'token_refused', 0, 190),
  ends('logged_out', 'missing_permission', 'token_refused', 3, 10, 200),
  ends('failed', 'number_unknown', 'number_refused', 33),
  ends('failed', 'number_not_registered', 'number_refused', 133010),
  ends('failed', 'account_locked', 'number_refused', 131031),
  again('server_error', 1, 2, 131000, 131016, 133004),
  again('number_in_maintenance', 131057),
  again('payment_problem', 131042, 131044),
  again('number_not_ready', 131037, 131045),
  { codes: [4, 80007], error: 'account_rate_limited', becomes: { later: 'number' }, onlyAnswer: true },
  { codes: [130429], error: 'number_rate_limited', becomes: { later: 'number' } },
  { codes: [131056], error: 'recipient_rate_limited', becomes: { later: 'person' } },
  { codes: [131048], error: 'spam_limit', becomes: { restricted: 'all_messages' } },
  { codes: [368], error: 'policy_block', becomes: { restricted: 'all_messages' } },
  { codes: [131064], error: 'messaging_limit', becomes: { restricted: 'new_contacts' } },
  fails('outside_reply_window', 131047),
  fails('recipient_unreachable', 131026),
  fails('recipient_is_sender', 131021),
  fails('recipient_not_allowed', 131030),
  fails('recipient_limit_reached', 131049),
  fails('recipient_opted_out', 131050),
  fails('recipient_in_experiment', 130472),
  fails('recipient_changed', 137000),
  fails('user_id_not_supported', 131062),
  fails('country_restricted', 130497),
  fails('message_invalid', 100, 131008, 131009),
  fails('message_type_not_supported', 131051),
  { codes: [131052, 131053], error: 'file_refused', becomes: 'again once' },
  fails('template_parameters_wrong', 132000, 132012, 132018),
  fails('template_unknown', 132001),
  fails('template_too_long', 132005),
  fails('template_policy', 132007, 132008),
  fails('template_paused', 132015),
  fails('template_disabled', 132016),
  fails('template_refused', 131063, 139200),
]

let stage: CloudStage
before(async () => {
  stage = await CloudStage.start()
})
after(() => stage.stop())

const ways = ['text', 'file', 'file by URL', 'template'] as const
type Way = (typeof ways)[number]

/** Sends a message of its own in this way, and waits so many seconds for its end. */
async function send(way: Way, { instance }: CloudNumber, seconds: number): Promise<Message> {
  const to = await stage.person()
  const { admin } = stage.posthorn
  if (way === 'text') return text(admin, { instance, to }, seconds)
  if (way === 'template') {
    const body = { instance, to, name: 'welcome', language: 'en_US' }
    const wait = seconds > 0 ? { waitSeconds: seconds } : {}
    return (await admin.call(sendTemplateMessage, { body, ...wait })).body
  }
  const file = { kind: 'document', filename: 'invoice.pdf', bytes: sampleHeads['invoice.pdf'] } as const
  return stage.sendFile(way === 'file' ? 'upload' : 'url', { instance, to, ...file }, seconds)
}

const now = async ({ id }: Message) => (await stage.posthorn.admin.call(getMessage, { params: { id } })).body

/** The message once its first attempt was refused. */
const refused = (message: Message) =>
  eventually(
    `a refusal of ${message.id}`,
    () => now(message),
    ({ error }) => error !== null,
  )

async function play({ error, becomes }: Row, code: number, way: Way, operation: 'send' | 'upload') {
  const number = await stage.number()
  const count = becomes === 'again once' ? 2 : 1
  await stage.cloud.fault('http', { operation, object: number.id, kind: 'graph-error', code, count })
  if (becomes === 'fails' || becomes === 'again once') {
    const message = await send(way, number, 20)
    const said = [message.status, message.error?.code, message.error?.network_code]
    assert.deepEqual(said, ['failed', error, String(code)])
    assert.deepEqual([message.error?.permanent, message.attempts], [true, count])
    return
  }
  const message = await refused(await send(way, number, 0))
  assert.deepEqual(
    [message.status, message.error?.code, message.error?.network_code, message.error?.permanent],
    ['sending', error, String(code), false],
  )
  if (becomes === 'again') await goesOn(number, message)
  else if ('later' in becomes) await goesLater(number, message, code, becomes.later)
  else if ('restricted' in becomes) await isRestricted(number, message, error, becomes.restricted)
  else await endsWith(number, message, becomes)
}

/** A second attempt is sent, and the instance was connected all the time. */
async function goesOn(number: CloudNumber, message: Message): Promise<void> {
  assert.equal((await reaches(stage.posthorn.admin, message.id, 'read')).attempts, 2)
  const { status, restriction, connected_at } = await stage.statusOf(number)
  assert.deepEqual([status, restriction], ['connected', null])
  assert.ok(Date.parse(connected_at ?? '') <= Date.parse(message.created_at))
}

async function goesLater(number: CloudNumber, message: Message, code: number, whom: 'person' | 'number') {
  const another = await send('text', number, whom === 'person' ? 20 : 1)
  if (whom === 'person') assert.ok(another.sent_at, 'others are not held up')
  else assert.deepEqual([another.status, another.attempts], ['queued', 0])
  assert.equal((await stage.statusOf(number)).status, 'connected')
  // A limit of the app or the account holds for minutes.
  if (code !== 4 && code !== 80007) await goesOn(number, message)
}

async function isRestricted(number: CloudNumber, message: Message, code: string, scope: string) {
  const isAll = scope === 'all_messages'
  const another = await send('text', number, isAll ? 1 : 20)
  assert.deepEqual([another.sent_at === null, another.attempts], [isAll, isAll ? 0 : 1])
  const { status, restriction, sendable } = await stage.statusOf(number)
  assert.deepEqual([status, restriction?.code, restriction?.scope], ['connected', code, scope])
  assert.equal(sendable, !isAll)
  const ends = Date.parse(restriction?.ends_at ?? '') - Date.parse(message.created_at)
  assert.ok(ends > 3_590_000 && ends < 3_700_000, `it ends after ${ends} ms`)
  assert.equal((await now(message)).attempts, 1)
}

/** The instance says why, and once a person has acted, the message that was refused is sent. */
async function endsWith(
  number: CloudNumber,
  message: Message,
  { ends, reason }: { readonly ends: 'logged_out' | 'failed'; readonly reason: string },
) {
  const { admin } = stage.posthorn
  assert.equal((await stage.reaches(number, ends)).reason?.code, reason)
  const params = { name: number.instance }
  if (ends === 'failed') await admin.call(startInstance, { params, waitSeconds: 20 })
  else {
    const body = { credentials: number.credentials(number.token) }
    await admin.call(replaceCredentials, { params, body, waitSeconds: 20 })
  }
  await reaches(admin, message.id, 'read')
  assert.equal((await admin.call(getInstance, { params })).body.reason, null)
}

async function playStatus({ error, becomes }: Row, code: number) {
  const number = await stage.number()
  await stage.cloud.fault('status', { number: number.id, kind: 'failed-after-sent', code })
  const { id } = await send('text', number, 20)
  const message = await reaches(stage.posthorn.admin, id, 'failed')
  assert.deepEqual([message.error?.code, message.error?.network_code], [error, String(code)])
  assert.deepEqual([message.attempts, message.sent_at === null], [1, false], 'it was sent once')
  const { status, restriction } = await stage.statusOf(number)
  const isRestriction = typeof becomes === 'object' && 'restricted' in becomes
  assert.deepEqual([status, restriction?.code], ['connected', isRestriction ? error : undefined])
}

describe('the code', { concurrency: 6 }, () => {
  for (const row of table)
    describe(`${row.codes.join(', ')}: ${row.error}`, { concurrency: 4 }, () => {
      for (const code of row.codes) {
        for (const way of ways) test(`${code} in the answer to a ${way}`, () => play(row, code, way, 'send'))
        if (row.becomes !== 'fails')
          test(`${code} in the answer to the upload of a file`, () => play(row, code, 'file', 'upload'))
        if (!row.onlyAnswer) test(`${code} as the error of a failed status`, () => playStatus(row, code))
      }
    })
})

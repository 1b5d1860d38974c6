import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTemplateMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'

/*
 * Every error code of the Cloud API: in the answer to a message, in the answer to an upload, and as a failed status. The table is
 * written from Meta's list of error codes (Support, Error codes, May 2026), not from the one of the driver.
 */

interface Row {
  readonly codes: readonly number[]
  /** Error of the message. */
  readonly error: string
  /**
   * `fails`: for good. `again`: a second attempt is sent. `again once`: the second refusal is for good. `unsure`: the network may have
   * taken it, so it is not sent again. `later`: after some time, for this person (`person`) or for the whole number (`number`).
   * `restricted`: for so many minutes. `ends`: the connection.
   */
  readonly becomes:
    | 'fails'
    | 'again'
    | 'again once'
    | 'unsure'
    | { readonly later: 'person' | 'number'; readonly soon: boolean }
    | { readonly restricted: 'all_messages' | 'new_contacts'; readonly minutes: number }
    | { readonly ends: 'logged_out' | 'failed'; readonly reason: string }
  /** Advice to the reader of the error, the restriction or the reason of the instance. */
  readonly todo: RegExp
  /** About the request and not the message, so it never is the error of a status. */
  readonly onlyAnswer?: true
  /** Its HTTP status and, if no list has the code, the network's word that it passes. */
  readonly answer?: { readonly status: number; readonly transient?: boolean }
}

const fails = (error: string, todo: RegExp, ...codes: number[]): Row => {
  return { codes, error, todo, becomes: 'fails' }
}
const again = (error: string, todo: RegExp, ...codes: number[]): Row => {
  return { codes, error, todo, becomes: 'again' }
}
const ends = (
  status: 'logged_out' | 'failed',
  reason: string,
  error: string,
  todo: RegExp,
  ...codes: number[]
): Row => {
  return { codes, error, todo, becomes: { ends: status, reason }, onlyAnswer: true }
}
const restricted = (error: string, minutes: number, todo: RegExp, ...codes: number[]): Row => {
  return { codes, error, todo, becomes: { restricted: 'all_messages', minutes } }
}
const inMinutes = { later: 'number', soon: false } as const
/** Codes that no list has. */
const unlisted = (answer: NonNullable<Row['answer']>, row: Row): Row => ({ ...row, answer, onlyAnswer: true })

const anotherToken = /make another token|Make another one/i

const table: readonly Row[] = [
  ends('logged_out', 'token_refused', 'token_refused', anotherToken, 0, 102, 190),
  ends('logged_out', 'missing_permission', 'token_refused', anotherToken, 3, 10, 200, 131005),
  ends('failed', 'number_unknown', 'number_refused', /Check the id/, 33, 803),
  ends('failed', 'number_not_registered', 'number_refused', /Register it at Meta/, 133010),
  ends('failed', 'version_refused', 'number_refused', /Set another version/, 2500, 2635),
  ends('failed', 'account_locked', 'number_refused', /Business Support Home/, 131031),
  { codes: [1, 2], error: 'server_error', todo: /Posthorn tries again/, becomes: 'unsure' },
  again('server_error', /Posthorn tries again/, 131000, 131016, 133004),
  again('number_in_maintenance', /Posthorn tries again/, 131057),
  restricted('payment_problem', 10, /Check the payment method at Meta/, 131042, 131044),
  restricted('number_not_ready', 10, /Check the number in WhatsApp Manager/, 131037, 131045),
  {
    codes: [4, 17, 32, 341, 613, 80002, 80004, 80007, 80008, 80014],
    error: 'account_rate_limited',
    todo: /after some minutes/,
    becomes: inMinutes,
    onlyAnswer: true,
  },
  {
    codes: [130429],
    error: 'number_rate_limited',
    todo: /after a few seconds/,
    becomes: { later: 'number', soon: true },
  },
  {
    codes: [131056],
    error: 'recipient_rate_limited',
    todo: /after a while/,
    becomes: { later: 'person', soon: true },
  },
  {
    codes: [132069],
    error: 'flow_rate_limited',
    todo: /once an hour has passed/,
    becomes: { later: 'person', soon: false },
  },
  {
    codes: [131208],
    error: 'group_rate_limited',
    todo: /after a while/,
    becomes: { later: 'person', soon: true },
  },
  restricted('spam_limit', 60, /Check the quality of the number at Meta/, 131048),
  restricted('policy_block', 60, /Business Support Home/, 368),
  {
    codes: [131064],
    error: 'messaging_limit',
    todo: /Meta raises the limit/,
    becomes: { restricted: 'new_contacts', minutes: 60 },
  },
  fails('outside_reply_window', /Send a template/, 131047),
  fails('recipient_unreachable', /Check the address/, 131026),
  fails('recipient_is_sender', /Choose another recipient/, 131021),
  fails('recipient_not_allowed', /Add the recipient to the list/, 131030),
  fails('recipient_limit_reached', /for at least a day/, 131049),
  fails('recipient_opted_out', /Respect that/, 131050),
  fails('recipient_in_experiment', /in another way/, 130472),
  fails('recipient_changed', /still the same person/, 137000),
  fails('user_id_not_supported', /Use the phone number/, 131062),
  fails('country_restricted', /Read the messaging policy/, 130497),
  fails('group_unusable', /Look at the group/, 131020, 131041, 131207),
  fails('message_invalid', /Change the message/, 100, 131008, 131009),
  fails('message_type_not_supported', /Send another type/, 131051),
  {
    codes: [131052, 131053],
    error: 'file_refused',
    todo: /Check that the file/,
    becomes: 'again once',
  },
  fails('template_parameters_wrong', /Compare them with the placeholders/, 132000, 132012, 132018),
  fails('template_unknown', /Check the name and the language/, 132001),
  fails('template_too_long', /Send shorter parameters/, 132005),
  fails('template_policy', /Change the parameters/, 132007, 132008),
  fails('template_paused', /Use another template/, 132015),
  fails('template_disabled', /Use another template/, 132016),
  fails('template_refused', /Look up `network_code`/, 131063, 132068, 139200),

  unlisted(
    { status: 429 },
    { ...again('', /after some minutes/, 199_001), error: 'account_rate_limited', becomes: inMinutes },
  ),
  unlisted(
    { status: 400, transient: true },
    {
      ...again('refused_for_now', /Posthorn sends it after a while/, 199_002),
      becomes: { later: 'person', soon: true },
    },
  ),
  unlisted({ status: 401 }, ends('logged_out', 'token_refused', 'token_refused', anotherToken, 199_003)),
  unlisted({ status: 403 }, ends('logged_out', 'missing_permission', 'token_refused', anotherToken, 199_004)),
  unlisted({ status: 400 }, fails('message_refused', /Look the code in `network_code` up/, 199_005)),
  unlisted({ status: 500 }, { ...again('server_error', /Posthorn tries again/, 199_006), becomes: 'unsure' }),
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

async function play(row: Row, code: number, way: Way, operation: 'send' | 'upload') {
  const { error, becomes, todo, answer } = row
  const number = await stage.number()
  const count = becomes === 'again once' ? 2 : 1
  const fault = { operation, object: number.id, kind: 'graph-error', code, count } as const
  await stage.cloud.fault('http', { ...fault, ...answer })
  if (becomes === 'fails' || becomes === 'again once') {
    const message = await send(way, number, 20)
    const said = [message.status, message.error?.code, message.error?.network_code]
    assert.deepEqual(said, ['failed', error, String(code)])
    assert.deepEqual([message.error?.permanent, message.attempts], [true, count])
    assert.match(message.error?.detail ?? '', todo)
    return
  }
  if (becomes === 'unsure' && operation === 'send') return isUnsure(number, way)
  const message = await refused(await send(way, number, 0))
  // An upload's result is thrown away, so it can be repeated.
  const isUpload = becomes === 'unsure'
  assert.deepEqual(
    [message.status, message.error?.code, message.error?.permanent],
    ['sending', isUpload ? 'upload_failed' : error, false],
  )
  if (!isUpload) assert.equal(message.error?.network_code, String(code))
  if (becomes === 'again' || becomes === 'unsure') {
    assert.match(message.error?.detail ?? '', todo)
    await goesOn(number, message)
  } else if ('later' in becomes) {
    assert.match(message.error?.detail ?? '', todo)
    await goesLater(number, message, becomes)
  } else if ('restricted' in becomes) await isRestricted(number, message, row)
  else await endsWith(number, message, { ...becomes, todo })
}

/** It is not sent a second time, and what comes of it says whether the first one arrived. */
async function isUnsure(number: CloudNumber, way: Way): Promise<void> {
  const message = await send(way, number, 20)
  assert.deepEqual([message.status, message.attempts, message.error], ['unknown', 1, null])
  assert.equal((await stage.statusOf(number)).status, 'connected')
}

/** A second attempt is sent, and the instance was connected all the time. */
async function goesOn(number: CloudNumber, message: Message): Promise<void> {
  assert.equal((await reaches(stage.posthorn.admin, message.id, 'read')).attempts, 2)
  const { status, restriction, connected_at } = await stage.statusOf(number)
  assert.deepEqual([status, restriction], ['connected', null])
  assert.ok(Date.parse(connected_at ?? '') <= Date.parse(message.created_at))
}

async function goesLater(
  number: CloudNumber,
  message: Message,
  { later: whom, soon }: { readonly later: 'person' | 'number'; readonly soon: boolean },
) {
  const another = await send('text', number, whom === 'person' ? 20 : 1)
  if (whom === 'person') assert.ok(another.sent_at, 'others are not held up')
  else assert.deepEqual([another.status, another.attempts], ['queued', 0])
  assert.equal((await stage.statusOf(number)).status, 'connected')
  // A limit of the app or the account holds for minutes.
  if (soon) await goesOn(number, message)
}

async function isRestricted(number: CloudNumber, message: Message, { error: code, becomes, todo }: Row) {
  assert.ok(typeof becomes === 'object' && 'restricted' in becomes)
  const { restricted: scope, minutes } = becomes
  const isAll = scope === 'all_messages'
  const another = await send('text', number, isAll ? 1 : 20)
  assert.deepEqual([another.sent_at === null, another.attempts], [isAll, isAll ? 0 : 1])
  const { status, restriction, sendable } = await stage.statusOf(number)
  assert.deepEqual([status, restriction?.code, restriction?.scope], ['connected', code, scope])
  assert.match(restriction?.detail ?? '', todo)
  assert.equal(sendable, !isAll)
  const ends = Date.parse(restriction?.ends_at ?? '') - Date.parse(message.created_at)
  assert.ok(ends > minutes * 60_000 - 10_000 && ends < minutes * 60_000 + 100_000, `it ends after ${ends} ms`)
  assert.equal((await now(message)).attempts, 1)
}

/** The instance says why, and once a person has acted, the message that was refused is sent. */
async function endsWith(
  number: CloudNumber,
  message: Message,
  {
    ends,
    reason,
    todo,
  }: { readonly ends: 'logged_out' | 'failed'; readonly reason: string; readonly todo: RegExp },
) {
  const { admin } = stage.posthorn
  const said = (await stage.reaches(number, ends)).reason
  assert.equal(said?.code, reason)
  assert.match(said?.detail ?? '', todo)
  await stage.comesBack(number, ends)
  await reaches(admin, message.id, 'read')
  const params = { name: number.instance }
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
        if (row.onlyAnswer !== true)
          test(`${code} as the error of a failed status`, () => playStatus(row, code))
      }
    })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived } from '../../../kit/play.ts'

/*
 * The Cloud API's answers to the question for a received file. A file is lost only if the network no longer has it; a fault
 * of the token, the number or a limit passes, and the file comes afterwards. The table is written from Meta's list of error
 * codes.
 */

/** The network's answer to the question for a received file. */
interface FileRow {
  readonly codes: readonly number[]
  readonly answer?: {
    readonly subcode?: number
    readonly transient?: true
    readonly proof?: true
    readonly count?: 2
  }
  /** `gone`: for good. `again`: it is asked a second time, and the instance is as before. */
  readonly becomes: 'gone' | 'again' | { readonly restricted: string } | Ends
}

type Ends = { readonly ends: 'logged_out' | 'failed'; readonly reason: string }

const fileEnds = (ends: Ends['ends'], reason: string, ...codes: number[]): FileRow => {
  return { codes, becomes: { ends, reason } }
}

const files: readonly FileRow[] = [
  { codes: [33, 100, 803], becomes: 'gone' },
  { codes: [100], answer: { subcode: 33 }, becomes: 'gone' },
  { codes: [100], answer: { transient: true }, becomes: 'again' },
  // No proof is wanted, and the one that was given is wrong.
  { codes: [100], answer: { proof: true }, becomes: 'again' },
  { ...fileEnds('logged_out', 'proof_refused', 100), answer: { proof: true, count: 2 } },
  fileEnds('logged_out', 'token_refused', 0, 102, 190),
  fileEnds('logged_out', 'missing_permission', 3, 10, 200, 131005),
  fileEnds('failed', 'number_not_registered', 133010),
  fileEnds('failed', 'version_refused', 2500, 2635),
  fileEnds('failed', 'account_locked', 131031),
  { codes: [368], becomes: { restricted: 'policy_block' } },
  { codes: [1, 2, 4, 80007, 130429, 131000, 131009, 131016, 131052, 131057], becomes: 'again' },
]

let stage: CloudStage
before(async () => {
  stage = await CloudStage.start()
})
after(() => stage.stop())

async function playFile({ becomes, answer }: FileRow, code: number) {
  const number = await stage.number()
  const fault = { operation: 'object', fileOf: number.id, kind: 'graph-error', code, count: 1 } as const
  await stage.cloud.fault('http', { ...fault, ...answer })
  const person = (await stage.person()).slice(1)
  const bytes = Buffer.from(sampleHeads['photo.jpg']).toString('base64')
  await stage.cloud.control('act', {
    person,
    number: number.id,
    act: 'image',
    bytes,
    mime_type: 'image/jpeg',
  })
  const isEnding = typeof becomes === 'object' && 'ends' in becomes
  if (isEnding) {
    assert.equal((await stage.reaches(number, becomes.ends)).reason?.code, becomes.reason)
    await stage.comesBack(number, becomes.ends)
  }
  const [message] = await eventually(
    'what becomes of the file',
    () => everythingReceived(stage.posthorn.admin, number.instance),
    ([one]) => one !== undefined && (one.media?.sha256 != null || one.error?.permanent === true),
  )
  if (becomes === 'gone') {
    assert.deepEqual([message?.error?.code, message?.error?.permanent], ['media_unreachable', true])
    assert.match(message?.error?.detail ?? '', /Ask the sender to send it again/)
  } else assert.deepEqual([message?.kind, message?.error], ['image', null])
  const { status, restriction } = await stage.statusOf(number)
  const isRestricted = typeof becomes === 'object' && 'restricted' in becomes
  assert.deepEqual([status, restriction?.code], ['connected', isRestricted ? becomes.restricted : undefined])
}

describe('the code', { concurrency: 6 }, () => {
  for (const row of files)
    for (const code of row.codes)
      test(`${code}${row.answer ? ` with ${Object.keys(row.answer)}` : ''} in the answer to the question for a file`, () =>
        playFile(row, code))
})

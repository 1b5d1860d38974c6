import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import {
  getMessage,
  sendMediaMessage,
  uploadMediaMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { findConversionPrograms } from '../../../src/media/content/voice-note.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { create, eventually } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* An organization has more voice notes converted than may wait: it is refused, and another organization is not. */

const place = freshFolder()
const wav = (what: string) => Buffer.from(`RIFF\0\0\0\0WAVEfmt ${what}`, 'latin1')
const token = 'metrics-token-of-this-very-test-0'
const path = process.env.PATH
const skip = (await findConversionPrograms()) ? false : 'needs prlimit'
let posthorn: Posthorn
let neighbour: CheckedClient

/** Programs in the place of ffmpeg: one takes until it is told to end, unless the audio says that it is short. */
before(async () => {
  const programs = {
    ffprobe: 'echo 1',
    ffmpeg: `for word; do case $word in file:*) path=\${word#file:};; esac; done
: > ${place}/began.$$
until grep -q short "$path" || [ -e ${place}/end ]; do sleep 0.02; done
echo note`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(place, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(place, name), 0o700)
  }
  process.env.PATH = `${place}:${path}`
  posthorn = await startPosthorn({
    environment: {
      POSTHORN_VOICE_NOTE_QUEUE: '1',
      POSTHORN_METRICS_TOKEN: token,
      POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8',
    },
  })
  process.env.PATH = path
  await posthorn.createOrganization('neighbour')
  neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
  for (const client of [posthorn.admin, neighbour]) await create(client, 'trial')
})
after(async () => {
  writeFileSync(join(place, 'end'), '')
  await posthorn.stop()
  rmSync(place, { recursive: true })
})

const began = () => readdirSync(place).filter((name) => name.startsWith('began')).length

async function metric(state: 'running' | 'waiting'): Promise<number> {
  const written = await readMetrics(posthorn.url, token)
  return Number(new RegExp(`^posthorn_voice_conversions{state="${state}"} (\\d+)$`, 'm').exec(written)?.[1])
}

const fields = { instance: 'trial', to: 'ana@delivers.sandbox', kind: 'audio' } as const

async function upload(client: CheckedClient, audio: Buffer): Promise<number> {
  const body = new FormData()
  for (const [name, value] of Object.entries({ ...fields, voice: 'true' })) body.set(name, value)
  body.set('file', new Blob([new Uint8Array(audio)]), 'note.wav')
  return (await client.call(uploadMediaMessage, { body })).status
}

test('one more than may wait is refused with 429, and that of another organization goes through', {
  skip,
}, async (t) => {
  const { admin } = posthorn
  const first = upload(admin, wav('long'))
  await eventually(
    'the first conversion',
    async () => began(),
    (count) => count === 1,
  )
  const second = upload(admin, wav('long'))
  await eventually(
    'the second to wait',
    () => metric('waiting'),
    (count) => count === 1,
  )
  await assert.rejects(upload(admin, wav('short')), (error) => {
    assert.ok(error instanceof ProblemError)
    const { code, status, retryable, detail } = error.problem
    assert.deepEqual([code, status, retryable], ['voice_queue_full', 429, true])
    assert.match(`${detail}`, /voice notes of one organization/)
    return true
  })

  const web = createServer((_, response) => response.end(wav('short'))).listen(0, '127.0.0.1')
  t.after(() => web.close())
  await once(web, 'listening')
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/note.wav`
  const { id } = (await admin.call(sendMediaMessage, { body: { ...fields, voice: true, url } })).body
  const read = async () => (await admin.call(getMessage, { params: { id } })).body
  const { status } = await eventually('the reason', read, ({ error }) => error?.code === 'voice_queue_full')
  assert.equal(status, 'queued', 'a file that was fetched waits for its turn')

  assert.equal(await upload(neighbour, wav('short')), 202)
  assert.equal(began(), 2, 'the second of the first organization waits')
  writeFileSync(join(place, 'end'), '')
  assert.deepEqual(await Promise.all([first, second]), [202, 202])
})

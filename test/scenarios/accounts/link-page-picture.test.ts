import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { PNG } from 'pngjs'
import { createInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  createLinkPage,
  getLinkPage,
  getLinkPagePicture,
  revokeLinkPages,
} from '../../../src/contract/operations/link-page-operations.ts'
import type { CreateLinkPage } from '../../../src/contract/resources/link-page.ts'
import { bearer } from '../../kit/http/contract-request.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { tamper } from '../../kit/rows.ts'

let posthorn: Posthorn
before(async () => {
  const environment = { POSTHORN_BASE_URL: 'https://posthorn.example', POSTHORN_ADDRESS_RATE: 'off' }
  posthorn = await startPosthorn({ environment })
  const settings = { link: 'qr', links_after_seconds: 3600 }
  for (const name of ['shop', 'many']) {
    const body = { name, network: 'sandbox', settings }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
    await posthorn.admin.call(stopInstance, { params: { name }, waitSeconds: 10 })
  }
})
after(() => posthorn.stop())

const png = (width: number, height: number) => PNG.sync.write(new PNG({ width, height }))
/** The beginning of a JPEG of this size, up to its frame. */
function jpeg(width: number, height: number): Buffer {
  const bytes = Buffer.from('ffd8ffe000041234ffc0001108000000000301220002110103110100', 'hex')
  bytes.writeUInt16BE(height, 13)
  bytes.writeUInt16BE(width, 15)
  return bytes
}

/** Makes a page for an instance, and a visitor who was sent it. */
async function pageFor(name: string, body: CreateLinkPage) {
  const made = (await posthorn.admin.call(createLinkPage, { params: { name }, body })).body
  const token = made.url.split('#')[1] ?? ''
  const client = posthorn.client(token)
  return { id: made.id, token, client, view: async () => (await client.call(getLinkPage)).body }
}

const title = 'Bakery Ana'
const withPicture = (bytes: Uint8Array): CreateLinkPage => ({
  title,
  picture: Buffer.from(bytes).toString('base64'),
})

for (const [type, bytes] of [
  ['image/png', png(1024, 1024)],
  ['image/jpeg', jpeg(1024, 1)],
  // As large as one may be.
  ['image/png', Buffer.concat([png(1, 1), randomBytes(65_536 - png(1, 1).length)])],
] as const)
  test(`the picture of a business comes from the page as it was given: ${type}, ${bytes.length} bytes`, async () => {
    const { client, token, view } = await pageFor('shop', withPicture(bytes))
    assert.deepEqual([(await view()).has_picture, (await view()).title], [true, title])
    const seen = await client.call(getLinkPagePicture, { accept: type })
    assert.deepEqual(Buffer.from(seen.bytes ?? []), bytes)
    const { headers } = await posthorn.client().rawRequest('GET', '/v1/link-page/picture', bearer(token))
    const said = ['content-type', 'x-content-type-options', 'cache-control'].map((name) => headers[name])
    assert.deepEqual(said, [type, 'nosniff', 'no-store'])
  })

test('a picture ends with its page, and there is none that was not given', async () => {
  const bare = await pageFor('shop', { title })
  assert.equal((await bare.view()).has_picture, false)
  const { status, problem } = await problemOf(bare.client.call(getLinkPagePicture))
  assert.deepEqual(
    [status, problem.code, problem.detail],
    [404, 'media_not_found', 'The page has no picture.'],
  )
  const { client } = await pageFor('shop', withPicture(png(8, 8)))
  await posthorn.admin.call(revokeLinkPages, { params: { name: 'shop' } })
  assert.equal((await problemOf(client.call(getLinkPagePicture))).code, 'link_page_not_found')
  const byKey = posthorn.admin.call(getLinkPagePicture)
  assert.equal((await problemOf(byKey)).code, 'unauthenticated')
})

const refusals: readonly (readonly [what: string, body: CreateLinkPage, pointer: string, detail: RegExp])[] =
  [
    [
      'without a title',
      { picture: withPicture(png(1, 1)).picture ?? '' },
      '/title',
      /required with a picture/,
    ],
    [
      'as a data: URL',
      { title, picture: 'data:image/png;base64,AAAA' },
      '/picture',
      /must be base64, without/,
    ],
    ['at a URL', { title, picture: 'https://elsewhere.example/a.png' }, '/picture', /must be base64/],
    ['of no bytes', { title, picture: '' }, '/picture', /must be a PNG or JPEG by its bytes\./],
    [
      'that is a web page',
      withPicture(Buffer.from('<svg onload="alert(1)"></svg>')),
      '/picture',
      /must be a PNG or JPEG by its bytes\./,
    ],
    [
      'that is a GIF',
      withPicture(Buffer.from('GIF89a, and more')),
      '/picture',
      /PNG or JPEG.*, and not GIF\./,
    ],
    [
      'of too many bytes',
      withPicture(Buffer.concat([png(1, 1), randomBytes(70_000)])),
      '/picture',
      /at most 64 KB, and this one has 68\.4 KB\./,
    ],
    [
      'that is too wide',
      withPicture(png(1025, 2)),
      '/picture',
      /at most 1024 × 1024 pixels, and this one has 1025 × 2\./,
    ],
    [
      'that is too high',
      withPicture(jpeg(2, 4000)),
      '/picture',
      /at most 1024 × 1024 pixels, and this one has 2 × 4000\./,
    ],
    ['of no pixels', withPicture(jpeg(0, 5)), '/picture', /does not contain its size/],
    ['that was cut off', withPicture(jpeg(5, 5).subarray(0, 14)), '/picture', /does not contain its size/],
  ]
for (const [what, body, pointer, detail] of refusals)
  test(`a picture ${what} is refused`, async () => {
    const { status, problem } = await problemOf(
      posthorn.admin.call(createLinkPage, { params: { name: 'shop' }, body }),
    )
    assert.deepEqual([status, problem.code], [400, 'invalid_request'])
    assert.deepEqual(
      problem.errors?.map((error) => error.pointer),
      [pointer],
    )
    assert.match(problem.errors?.[0]?.detail ?? '', detail)
    assert.match(problem.detail, /^`\/(picture|title)`: /)
  })

test('of a thousand pages with a picture, the oldest goes on without when there is another', async () => {
  const oldest = await pageFor('many', withPicture(png(8, 8)))
  const copy = `insert into link_pages (id, digest, organization_id, instance_id, key_id, created_at, expires_at, picture_type, picture)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 999)
    select 'lnk_copy' || i, 'digest' || i, organization_id, 'none', key_id, created_at + i, expires_at, picture_type, picture
    from link_pages, n where id = '${oldest.id}'`
  await tamper(posthorn.data, { sqlite: copy, postgres: copy })
  assert.equal((await oldest.view()).has_picture, true)
  await pageFor('many', { title })
  assert.equal((await oldest.view()).has_picture, true, 'a page without a picture needs no room')
  const newest = await pageFor('many', withPicture(png(9, 9)))
  assert.deepEqual([(await oldest.view()).has_picture, (await oldest.view()).state], [false, 'ready'])
  assert.equal((await problemOf(oldest.client.call(getLinkPagePicture))).code, 'media_not_found')
  assert.equal((await newest.view()).has_picture, true)
})

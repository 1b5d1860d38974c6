import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Form } from './request.ts'
import { encodeBody } from './request-body.ts'

/** The encoded form as it goes over the wire, and its boundary. */
async function encoded(form: Form): Promise<{ type: string; bytes: Buffer; boundary: string }> {
  const { type, length, before, file, after } = encodeBody({ form })
  const bytes = Buffer.concat([before, file ? await buffer(file.open()) : Buffer.alloc(0), after])
  assert.equal(bytes.length, length)
  return { type, bytes, boundary: type.split('boundary=')[1] ?? '' }
}

function file(filename: string, type: string, bytes: string) {
  return {
    name: 'document',
    filename,
    type,
    size: bytes.length,
    open: () => Readable.from([Buffer.from(bytes)]),
  }
}

test('a form goes over the wire as RFC 7578 says', async () => {
  const { bytes, boundary } = await encoded({
    fields: { chat_id: '7', caption: 'a\nb' },
    file: file('"a"\r\nb.txt', 'text/plain; charset=utf-8', 'bytes'),
  })
  const lines = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="chat_id"',
    '',
    '7',
    `--${boundary}`,
    'Content-Disposition: form-data; name="caption"',
    '',
    'a\nb',
    `--${boundary}`,
    'Content-Disposition: form-data; name="document"; filename="%22a%22%0D%0Ab.txt"',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'bytes',
    `--${boundary}--`,
    '',
  ]
  assert.equal(bytes.toString(), lines.join('\r\n'))
  assert.notEqual((await encoded({ fields: {} })).boundary, boundary)
})

test('another reader of forms finds in it what was put there', async () => {
  for (const [filename, type] of [
    ['größe 文件 🎈.pdf', 'application/pdf'],
    ["it's; name=x\\.txt", 'text/plain'],
    ['a"b.txt', 'image/png'],
  ] as const) {
    const caption = 'Line one\r\n--posthorn-\r\nContent-Disposition: form-data; name="forged"\n🎈'
    const { type: contentType, bytes } = await encoded({
      fields: { 'na"me': 'x', caption, empty: '' },
      file: file(filename, type, 'the bytes\r\n'),
    })
    const form = await new Response(Uint8Array.from(bytes), {
      headers: { 'Content-Type': contentType },
    }).formData()
    assert.deepEqual([...form.keys()], ['na"me', 'caption', 'empty', 'document'])
    assert.deepEqual([form.get('caption'), form.get('empty')], [caption, ''])
    const found = form.get('document')
    assert.ok(found instanceof File)
    assert.deepEqual([found.name, found.type, await found.text()], [filename, type, 'the bytes\r\n'])
  }
})

test('a type that would break its header is not sent', async () => {
  for (const type of ['a/b\r\nX: y', 'größe/x', '']) {
    const { bytes } = await encoded({ fields: {}, file: file('a', type, '') })
    assert.match(bytes.toString(), /\r\nContent-Type: application\/octet-stream\r\n\r\n\r\n--/)
  }
})

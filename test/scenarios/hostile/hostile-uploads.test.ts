import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { bytesOf, end, field, file, formType, part } from '../../kit/http/multipart.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { fieldsFor, UploadTrial, uploadPath } from '../../kit/http/upload-trial.ts'
import { sampleHeads } from '../../kit/media-samples.ts'
import { eventually } from '../../kit/play.ts'

/*
 * Wrong bodies of a caller with a key, in place of a form with a file, by mistake or by intent. Each is refused by name, and
 * nothing of it is left; after each, the next upload is answered as if nothing had been.
 */

let trial: UploadTrial

before(async () => {
  trial = await UploadTrial.start()
})

afterEach(() => trial.goesOn())

after(() => trial.posthorn.stop())

const wanted = fieldsFor('refusing', 'image')
const image = sampleHeads['drawing.png']
const whole = file(image)

/** A form for the instance that gets no messages, with these parts after the fields. */
function form(...parts: readonly (string | Uint8Array)[]): Buffer {
  return bytesOf(wanted, ...parts, end)
}

describe('content types', () => {
  const types: Readonly<Record<string, readonly [type: string, code: string]>> = {
    'no boundary': ['multipart/form-data', 'malformed_body'],
    'an empty boundary': ['multipart/form-data; boundary=', 'malformed_body'],
    'an empty boundary in quotes': ['multipart/form-data; boundary=""', 'malformed_body'],
    'a boundary of 10 KB': [`multipart/form-data; boundary=${'b'.repeat(10_240)}`, 'malformed_body'],
    'a boundary with a quote in it': ['multipart/form-data; boundary="b\\"b"', 'malformed_body'],
    'two boundaries': ['multipart/form-data; boundary=b; boundary=c', 'malformed_body'],
    'another boundary than in the body': ['multipart/form-data; boundary=c', 'malformed_body'],
    'multipart, but no form': ['multipart/mixed; boundary=b', 'unsupported_media_type'],
    'something like a form': ['multipart/form-data-x; boundary=b', 'unsupported_media_type'],
    'plain text': ['text/plain', 'unsupported_media_type'],
    'a form of the other kind': ['application/x-www-form-urlencoded', 'unsupported_media_type'],
    'an image': ['image/png', 'unsupported_media_type'],
    'JSON, with a form in it': ['application/json', 'malformed_body'],
    none: ['', 'unsupported_media_type'],
  }
  for (const [name, [type, code]] of Object.entries(types)) {
    test(`${name}: ${code}`, async () => {
      const reply = await trial.post(form(whole), { 'content-type': type })
      assert.deepEqual(await trial.refusalOf(reply), [code])
    })
  }

  test('a boundary of 71 characters, also in the body: malformed_body', async () => {
    const boundary = 'b'.repeat(71)
    const body = Buffer.from(form(whole).toString('latin1').replaceAll('--b', `--${boundary}`), 'latin1')
    const reply = await trial.post(body, { 'content-type': `multipart/form-data; boundary=${boundary}` })
    assert.deepEqual(await trial.refusalOf(reply), ['malformed_body'])
  })

  test('a form that says it is compressed: unsupported_media_type', async () => {
    const reply = await trial.post(form(whole), { 'content-encoding': 'gzip' })
    assert.deepEqual(await trial.refusalOf(reply), ['unsupported_media_type'])
  })

  test('a form where none is taken: unsupported_media_type', async () => {
    const reply = await trial.post(form(whole), {}, '/v1/messages/text')
    assert.deepEqual(await trial.refusalOf(reply), ['unsupported_media_type'])
  })

  for (const type of ['Multipart/Form-Data; Boundary="b"', 'multipart/form-data ; charset=utf-8; boundary=b'])
    test(`${type} is taken`, async () => {
      const body = bytesOf(fieldsFor('taking', 'document'), file('x'), end)
      assert.equal((await trial.received(await trial.post(body, { 'content-type': type }))).size, 1)
    })
})

describe('bodies that are no whole form', () => {
  const thousand = (one: Uint8Array) => bytesOf(...Array.from({ length: 1000 }, () => one))
  const disposition = 'content-disposition: form-data; name="file"; filename="a.png"'
  const within = 'content-disposition: form-data; name="files"\r\ncontent-type: multipart/mixed; boundary=b'
  const megabyte = 'x'.repeat(1024 * 1024)
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    nothing: '',
    'the first half': form(whole).subarray(0, form(whole).length / 2),
    'the last boundary missing': bytesOf(wanted, whole),
    'the last boundary cut short': bytesOf(wanted, whole, '--b'),
    'the last boundary with one dash': bytesOf(wanted, whole, '--b-\r\n'),
    'lines that end in LF': form(file('x')).toString().replaceAll('\r\n', '\n'),
    'a thousand fields': form(thousand(field('caption', 'x')), whole),
    'a thousand fields behind the file': form(whole, thousand(field('caption', 'x'))),
    'a thousand files': form(thousand(whole)),
    'a thousand parts without headers': form(thousand(bytesOf('--b\r\n\r\nx\r\n'))),
    'a field without a name': form(whole, part('content-disposition: form-data', 'x')),
    'a file without a name': form(file(image, 'filename="a.png"')),
    'a part without headers': form(whole, '--b\r\n\r\nx\r\n'),
    'a part with a type alone': form(whole, part('content-type: text/plain', 'x')),
    'a part that is an attachment': form(whole, part('content-disposition: attachment; name="caption"', 'x')),
    'a name with a line feed': form(whole, field('cap\ntion', 'x')),
    'headers that do not end': form(whole, '--b\r\ncontent-disposition: form-data; name="caption"\r\n'),
    'a header of 1 MB before the name': form(part(`x-long: ${megabyte}\r\n${disposition}`, image)),
    'a hundred thousand header lines': form(part(`${'x: y\r\n'.repeat(100_000)}${disposition}`, image)),
    'headers for ever': bytesOf(wanted, '--b\r\n', megabyte),
    'a form within the form, with the same boundary': form(part(within, bytesOf(whole, '--b--\r\n'))),
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name}: malformed_body`, async () => {
      assert.deepEqual(await trial.refusalOf(await trial.post(body)), ['malformed_body'])
    })
  }
})

describe('parts that do not fit', () => {
  const utf16 = 'content-disposition: form-data; name="caption"\r\ncontent-type: text/plain; charset=utf-16le'
  const cases: Readonly<Record<string, readonly [body: Uint8Array, ...faults: string[]]>> = {
    'no part at all': [bytesOf(end), '/instance missing', '/to missing', '/kind missing', '/file missing'],
    'two files': [form(whole, whole), '/file duplicate'],
    'the file under another name': [
      form(file(image, 'name="picture"; filename="a.png"')),
      '/picture unknown_field',
    ],
    'fields alone': [form(), '/file missing'],
    'a field twice': [form(whole, field('kind', 'document')), '/kind duplicate'],
    'a field with an empty name': [form(whole, field('', 'x')), '/ unknown_field'],
    'the field __proto__': [
      form(whole, field('__proto__', '{"kind":"document"}')),
      '/__proto__ unknown_field',
    ],
    'the field constructor': [form(whole, field('constructor', 'x')), '/constructor unknown_field'],
    'a field of a field': [form(whole, field('metadata[a]', 'x')), '/metadata[a] unknown_field'],
    'a __proto__ in metadata': [form(whole, field('metadata', '{"__proto__":"x"}')), '/metadata wrong_form'],
    'an array as metadata': [form(whole, field('metadata', '[]')), '/metadata wrong_type'],
    'nothing as metadata': [form(whole, field('metadata', '')), '/metadata wrong_form'],
    'a name of 7 KB': [form(whole, field('n'.repeat(7_000), 'x')), `/${'n'.repeat(199)} unknown_field`],
    'a caption of 30 KB': [form(whole, field('caption', 'x'.repeat(30_000))), '/caption too_long'],
    'a caption that is not UTF-8': [
      form(whole, field('caption', Buffer.of(0xff))),
      '/caption text_not_representable',
    ],
    'a caption with NUL': [form(whole, field('caption', 'a\0')), '/caption text_not_representable'],
    'half a character in UTF-16': [
      form(whole, part(utf16, Buffer.of(0, 0xd8))),
      '/caption text_not_representable',
    ],
    'a URL beside the file': [form(whole, field('url', 'https://example.org/a.png')), '/url unknown_field'],
    'an image as a voice note': [form(whole, field('voice', 'true')), '/voice not_allowed'],
    'a yes': [form(whole, field('voice', 'yes')), '/voice wrong_type'],
  }
  for (const [name, [body, ...faults]] of Object.entries(cases)) {
    test(`${name}: ${faults.join(', ').slice(0, 80)}`, async () => {
      assert.deepEqual(await trial.refusalOf(await trial.post(body)), ['invalid_request', ...faults])
    })
  }
})

describe('JSON that imitates a file', () => {
  const common = { instance: 'refusing', to: 'ana@delivers.sandbox', kind: 'image' }
  const url = 'https://example.org/a.png'
  const cases: Readonly<Record<string, readonly [fields: object, ...faults: string[]]>> = {
    'a file on the server': [{ file: { path: '/etc/passwd' } }, '/file encoded_file'],
    'a file in a data URL': [{ file: 'data:image/png;base64,AAAA' }, '/file encoded_file'],
    'bytes in an array': [{ file: [137, 80, 78, 71] }, '/file encoded_file'],
    'a file beside a URL': [{ url, file: { filepath: '/etc/passwd', size: 1 } }, '/file encoded_file'],
    'an upload beside a URL': [{ url, upload: { file: { path: '/etc/passwd' } } }, '/upload unknown_field'],
    'an object as a URL': [{ url: { href: url } }, '/url wrong_type'],
    'several URLs': [{ url: [url, url] }, '/url wrong_type'],
    'a path as a URL': [{ url: '/etc/passwd' }, '/url wrong_form'],
    'a file URL': [{ url: 'file:///etc/passwd' }, '/url not_allowed'],
    'a data URL': [{ url: 'data:image/png;base64,AAAA' }, '/url encoded_file'],
    'a blob URL': [{ url: 'blob:https://example.org/1' }, '/url not_allowed'],
    'a URL with a password': [{ url: 'https://ana:secret@example.org/a.png' }, '/url not_allowed'],
    'what is known of a kept file': [
      { url, media_id: 'med_1', sha256: 'ab' },
      '/media_id unknown_field',
      '/sha256 unknown_field',
    ],
  }
  for (const [name, [fields, ...faults]] of Object.entries(cases)) {
    test(`${name}: ${faults.join(', ')}`, async () => {
      const body = JSON.stringify({ ...common, ...fields })
      const reply = await trial.post(body, { 'content-type': 'application/json' })
      assert.deepEqual(await trial.refusalOf(reply), ['invalid_request', ...faults])
      assert.doesNotMatch(reply.text, /secret|passwd/)
    })
  }
})

describe('bodies of another length than they say', () => {
  const sent = form(file('x'.repeat(200_000)))
  const head = (...lines: string[]) =>
    [
      `POST ${uploadPath} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${trial.posthorn.adminKey}`,
      `content-type: ${formType}`,
    ]
      .concat(lines, '', '')
      .join('\r\n')
  const cases: Readonly<Record<string, readonly [lines: string[], body: Uint8Array, code: string]>> = {
    'longer than it says': [[`content-length: ${sent.length - 30}`], sent, 'malformed_body'],
    'of no length': [['content-length: 0'], sent, 'malformed_body'],
    'without a length': [[], sent, 'malformed_body'],
    'of less than nothing': [['content-length: -1'], sent, 'invalid_request'],
    'of two lengths': [[`content-length: ${sent.length}`, 'content-length: 5'], sent, 'invalid_request'],
    'of a length, and in chunks': [
      [`content-length: ${sent.length}`, 'transfer-encoding: chunked'],
      sent,
      'invalid_request',
    ],
    'in chunks of another size': [['transfer-encoding: chunked'], bytesOf('5\r\n', sent), 'invalid_request'],
    'in chunks that are none': [['transfer-encoding: chunked'], bytesOf('zz\r\n', sent), 'invalid_request'],
    'of 5 GB, of which 17 MB come': [
      ['content-length: 5000000000'],
      bytesOf(wanted, file(Buffer.alloc(17 * 1024 * 1024))),
      'body_too_large',
    ],
  }
  for (const [name, [lines, body, code]] of Object.entries(cases)) {
    test(`${name}: ${code}, and the connection ends`, async () => {
      const connection = await RawConnection.open(trial.posthorn.url)
      const reply = await connection.write(bytesOf(head(...lines), body)).reply('POST', uploadPath)
      assert.equal((JSON.parse(reply.text) as { code: string }).code, code)
      await connection.ended()
      await eventually(
        'the bytes to be gone',
        async () => trial.drafts().length,
        (count) => count === 0,
      )
      await trial.nothingStays()
    })
  }

  for (const how of ['ends', 'is cut'] as const) {
    test(`shorter than it says, where the connection ${how} in the middle of the file`, async () => {
      const connection = await RawConnection.open(trial.posthorn.url)
      connection.write(bytesOf(head(`content-length: ${sent.length}`), sent.subarray(0, 100_000)))
      await eventually(
        'the file to come in',
        async () => trial.drafts().length,
        (count) => count === 1,
      )
      if (how === 'ends') {
        connection.socket.end()
        const reply = await connection.reply('POST', uploadPath)
        assert.equal((JSON.parse(reply.text) as { code: string }).code, 'invalid_request')
      } else connection.close()
      await eventually(
        'the bytes to be gone',
        async () => trial.drafts().length,
        (count) => count === 0,
      )
      await trial.nothingStays()
    })
  }
})

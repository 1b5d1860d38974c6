import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, describe, test } from 'node:test'
import { bytesOf, end, field, file, formType } from '../../kit/http/multipart.ts'
import { fieldsFor, form, UploadTrial } from '../../kit/http/upload-trial.ts'
import { sampleHeads } from '../../kit/media-samples.ts'

/*
 * Files that a caller with a key may send to fool the recipient, or the server, and names for them. What cannot be shown as
 * what it is sent as is refused; anything else reaches the recipient byte for byte, under a type that is true and a name that
 * is harmless.
 */

let trial: UploadTrial

before(async () => {
  trial = await UploadTrial.start()
})

afterEach(() => trial.goesOn())

after(() => trial.posthorn.stop())

const wanted = fieldsFor('refusing', 'image')
const taken = fieldsFor('taking', 'document')
const image = sampleHeads['drawing.png']
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('files that are not what they are sent as', () => {
  const audio = fieldsFor('refusing', 'audio')
  const cases: Readonly<Record<string, Uint8Array>> = {
    'a drawing with a script as an image': form(file(sampleHeads['drawing.svg']), wanted),
    'the same with a prolog': form(file(sampleHeads['drawing-with-prolog.svg']), wanted),
    'HTML as an image': form(file(sampleHeads['page.html']), wanted),
    'a program as an image': form(file(sampleHeads['program.exe']), wanted),
    'an image that clients do not show': form(file(sampleHeads['scan.tiff']), wanted),
    'nothing as an image': form(file(''), wanted),
    'HTML in front of an image': form(file(bytesOf('<html>', image)), wanted),
    'a form as an image': form(
      file('--c\r\ncontent-disposition: form-data; name="to"\r\n\r\nx\r\n--c--\r\n'),
      wanted,
    ),
    'a text in place of the file': form(field('file', 'drawing.png'), wanted),
    'an image as audio': form(file(image), audio),
    'HTML as audio': form(file(sampleHeads['page.html']), audio),
  }
  for (const [name, body] of Object.entries(cases)) {
    test(`${name}: /file media_type_mismatch`, async () => {
      const refusal = await trial.refusalOf(await trial.post(body))
      assert.deepEqual(refusal, ['invalid_request', '/file media_type_mismatch'])
    })
  }
})

describe('files as text', () => {
  const base64 = Buffer.concat([image, Buffer.from(sha256(image))]).toString('base64')
  const dataUrl = `data:image/png;base64,${base64}`
  const fields = { instance: 'refusing', to: 'ana@delivers.sandbox', kind: 'image' }
  const refused = async (body: string | Uint8Array, says: RegExp, type = 'application/json') => {
    const reply = await trial.post(body, { 'content-type': type })
    assert.match(reply.text, says)
    return trial.refusalOf(reply)
  }

  for (const [name, text] of Object.entries({ base64, 'a data: URL': dataUrl })) {
    test(`${name} as the URL: what to send instead is said, whatever its length and whatever else is wrong`, async () => {
      const upload = /looks like the file itself.*as the part `file` of a `multipart.form-data` body/
      const long = text.padEnd(3_000, 'A')
      for (const url of [text, long])
        assert.deepEqual(await refused(JSON.stringify({ ...fields, url }), upload), [
          'invalid_request',
          '/url encoded_file',
        ])
      const faults = await refused(JSON.stringify({ ...fields, url: text, kind: 'picture' }), upload)
      assert.deepEqual(faults.toSorted(), ['/kind not_allowed', '/url encoded_file', 'invalid_request'])
      const inForm = form(bytesOf(file(image), field('url', text)), wanted)
      assert.deepEqual(await refused(inForm, upload, formType), ['invalid_request', '/url encoded_file'])
    })

    test(`${name} as \`file\` in JSON: one fault, which says how files are sent`, async () => {
      const body = JSON.stringify({ ...fields, file: text })
      assert.deepEqual(await refused(body, /JSON body cannot carry a file.*Upload the file/), [
        'invalid_request',
        '/file encoded_file',
      ])
    })

    test(`${name} as the file of a form: the bytes are asked for`, async () => {
      const document = fieldsFor('refusing', 'document')
      for (const body of [
        form(field('file', text), wanted),
        form(file(text), wanted),
        form(field('file', text), document),
      ])
        assert.deepEqual(await refused(body, /Send the unencoded bytes/, formType), [
          'invalid_request',
          '/file encoded_file',
        ])
    })
  }

  test('base64 of more than a JSON body may have: the refusal says how files are sent', async () => {
    const body = JSON.stringify({ ...fields, url: 'A'.repeat(300_000) })
    assert.deepEqual(await refused(body, /256 KB. Upload a file/), ['body_too_large'])
  })

  test('a document that is base64 and has a name is sent as it is', async () => {
    const reply = await trial.post(form(file(base64, 'name="file"; filename="key.txt"'), taken))
    assert.equal((await trial.received(reply)).sha256, sha256(Buffer.from(base64)))
  })
})

describe('files that are two things at once', () => {
  const html = '<script>alert(1)</script>'
  const cases: Readonly<
    Record<string, readonly [kind: string, bytes: Uint8Array, type: string, ending: string]>
  > = {
    'a GIF that is a script': ['image', bytesOf('GIF89a/*', image, '*/=1;alert(1)'), 'image/gif', '.gif'],
    'an image with HTML behind it': ['image', bytesOf(image, html), 'image/png', '.png'],
    'an image with an archive behind it': [
      'image',
      bytesOf(image, sampleHeads['archive.zip']),
      'image/png',
      '.png',
    ],
    'an invoice with HTML behind it': [
      'document',
      bytesOf(sampleHeads['invoice.pdf'], html),
      'application/pdf',
      '',
    ],
    'HTML that says it is an image': ['document', sampleHeads['page.html'], 'text/plain', ''],
    'a drawing that says it is an image': ['document', sampleHeads['drawing.svg'], 'text/plain', ''],
    'nothing that says it is an image': ['document', Buffer.alloc(0), 'application/octet-stream', ''],
  }
  for (const [name, [kind, bytes, mime_type, ending]] of Object.entries(cases)) {
    test(`${name}, sent as ${kind}: ${mime_type}, byte for byte`, async () => {
      const reply = await trial.post(form(file(bytes), fieldsFor('taking', kind)))
      assert.deepEqual(await trial.received(reply), {
        filename: `a.bin${ending}`,
        mime_type,
        size: bytes.length,
        sha256: sha256(bytes),
      })
    })
  }
})

describe('files at the limit', () => {
  const largest = Buffer.concat([image, Buffer.alloc(16 * 1024 * 1024 - image.length)])
  const larger = file(Buffer.concat([largest, Buffer.of(0)]))
  for (const [when, body] of Object.entries({
    'known before it comes': form(larger, wanted),
    'known behind it': bytesOf(larger, wanted, end),
  })) {
    test(`one byte more than an image may have, ${when}: body_too_large`, async () => {
      const reply = await trial.post(body)
      assert.deepEqual(await trial.refusalOf(reply), ['body_too_large'])
      assert.match(reply.text, /"detail":"The file may have at most 16 MB\."/)
    })
  }

  test('as many bytes as an image may have are taken', async () => {
    const reply = await trial.post(form(file(largest), fieldsFor('taking', 'image')))
    assert.equal((await trial.received(reply)).sha256, sha256(largest))
  })
})

describe('names of files', () => {
  const named = (name: string) => `name="file"; filename="${name}"`
  const longest = `${'n'.repeat(226)}.txt`
  const names: Readonly<Record<string, readonly [parameters: string, filename: string]>> = {
    'a path upwards': [named('../../etc/passwd'), 'passwd'],
    'a path of Windows': [named('C:\\\\evil\\\\a.exe'), 'a.exe'],
    'two dots': [named('..'), 'document.txt'],
    'a path that ends': [named('a/b/'), 'document.txt'],
    'a hidden file': [named('.htaccess'), 'htaccess'],
    'a device': [named('con.txt'), '_con.txt'],
    NUL: [named('a\0.exe'), 'a.exe'],
    'control characters': [named('a\u0007\u001b[2J\t.txt'), 'a[2J.txt'],
    'directions of text': [named('\u202egnp.exe'), 'gnp.exe'],
    'what Windows does not take': [named('a<b>|c?.txt'), 'a_b__c_.txt'],
    quotes: [named('a\\"b.txt'), 'a_b.txt'],
    'a quote in the middle': [named('a.txt"; name="to'), 'a.txt'],
    'no letters': [named(' \u200b '), 'document.txt'],
    'as long as may be': [named(longest), longest],
    'as long behind its path': [named(`home/${'x'.repeat(200)}/${longest}`), longest],
    nothing: [named(''), 'document.txt'],
    'no name': ['name="file"', 'document.txt'],
    'bytes that are not UTF-8, escaped': [`name="file"; filename*=UTF-8''%ff%fe.txt`, '\ufffd\ufffd.txt'],
    'a path, escaped': [`name="file"; filename*=UTF-8''..%2f..%2fa.txt`, 'a.txt'],
    'NUL and a direction, escaped': [`name="file"; filename*=UTF-8''a%00%e2%80%ae.txt`, 'a.txt'],
    'what is no escape': [`name="file"; filename*=UTF-8''%zz.txt`, '%zz.txt'],
    'an unknown charset': [`name="file"; filename*=none''a.txt`, 'a.txt'],
    'half a character in UTF-16': [`name="file"; filename*=utf-16le''%00%d8`, 'document.txt'],
    'a charset without an end': [`name="file"; filename*=UTF-8'`, 'document.txt'],
    'two of them': [`${named('a.txt')}; filename*=UTF-8''b.txt`, 'a.txt'],
    'a header of 1 MB behind it': [`${named('a.txt')}\r\nx-long: ${'x'.repeat(1024 * 1024)}`, 'a.txt'],
  }
  for (const [name, [parameters, filename]] of Object.entries(names)) {
    test(`${name}: the recipient sees ${JSON.stringify(filename.slice(0, 20))}`, async () => {
      const reply = await trial.post(form(file('hello', parameters), taken))
      assert.equal((await trial.received(reply)).filename, filename)
    })
  }

  const tooLong: Readonly<Record<string, string>> = {
    'one byte more': `${'n'.repeat(227)}.txt`,
    'as many characters, of more bytes': `${'é'.repeat(226)}.txt`,
    '10 KB': 'n'.repeat(10_240),
  }
  for (const [name, filename] of Object.entries(tooLong)) {
    test(`${name}: refused, and not cut`, async () => {
      const reply = await trial.post(form(file('hello', named(filename)), fieldsFor('refusing', 'document')))
      assert.match(reply.text, /at most 230 bytes of UTF-8.*Give a shorter one in `filename`/)
      assert.deepEqual(await trial.refusalOf(reply), ['invalid_request', '/file too_long'])
      const body = bytesOf(file('hello', named(filename)), field('filename', 'short.txt'))
      assert.equal((await trial.received(await trial.post(form(body, taken)))).filename, 'short.txt')
    })
  }

  test('too long in `filename`: refused, by URL and by upload', async () => {
    const filename = `${'é'.repeat(114)}.txt`
    const fits = `${'é'.repeat(113)}.txt`
    const upload = (name: string) => form(bytesOf(file('hello'), field('filename', name)), taken)
    assert.equal((await trial.received(await trial.post(upload(fits)))).filename, fits)
    const fields = { instance: 'refusing', to: 'ana@delivers.sandbox', kind: 'document', filename }
    const url = 'https://example.org/a.txt'
    for (const reply of [
      await trial.post(upload(filename)),
      await trial.post(JSON.stringify({ ...fields, url }), { 'content-type': 'application/json' }),
    ])
      assert.deepEqual(await trial.refusalOf(reply), ['invalid_request', '/filename too_long'])
  })
})

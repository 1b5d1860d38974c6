import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, end, field, file, formType, part } from '../../../test/kit/http/multipart.ts'
import { Problem } from '../../contract/problem.ts'
import { Drafts, MediaTooLarge } from '../../media/draft.ts'
import { type ReceivedForm, receiveForm } from './form-body.ts'

/** The outcome of one request. */
type Received = { readonly form: ReceivedForm } | { readonly error: unknown }

const largest = 2_000_000
let folder: string
let received: (outcome: Received) => void = () => {}
const server = createServer(async (request: IncomingMessage, response) => {
  const intake = {
    receive: (bytes: AsyncIterable<Uint8Array>, limit: number) => drafts.receive(noted(bytes), limit),
    limitOf: () => largest,
    alarms: {
      in: (_delay: number, ring: () => void) => {
        ringPace = ring
        return { cancel: () => {} }
      },
    },
  }
  const outcome = await receiveForm(request, intake).then(
    (form): Received => ({ form }),
    (error: unknown): Received => ({ error }),
  )
  received(outcome)
  response.writeHead(200, { connection: 'close' }).end()
})
let drafts: Drafts
/** The memory in which the last file came to the intake. */
let memory = new Set<ArrayBufferLike>()

async function* noted(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  memory = new Set()
  for await (const part of bytes) {
    memory.add(part.buffer)
    yield part
  }
}

/** Lets the time pass in which some bytes should have come. */
let ringPace = () => {}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-form-'))
  drafts = await Drafts.open(folder)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

after(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

/** Sends a body as it stands, over a connection of its own, and tells what the server made of it. */
function send(body: string | Buffer, contentType = formType, cut = false): Promise<Received> {
  const bytes = Buffer.from(body as string)
  const length = `content-length: ${bytes.length + (cut ? 10 : 0)}`
  return write(`content-type: ${contentType}\r\n${length}`, [bytes], cut)
}

/** Sends a body in chunks of a size. */
function sendInChunks(body: Buffer, size: number): Promise<Received> {
  const parts: (string | Buffer)[] = []
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n')
  }
  const headers = 'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked'
  return write(headers, [...parts, '0\r\n\r\n'])
}

async function write(headers: string, body: readonly (string | Buffer)[], cut = false): Promise<Received> {
  const outcome = new Promise<Received>((resolve) => {
    received = resolve
  })
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`)
  for (const part of body) socket.write(part)
  if (cut) socket.end()
  const result = await outcome
  socket.destroy()
  return result
}

function formOf(outcome: Received): ReceivedForm {
  return 'form' in outcome ? outcome.form : assert.fail(String(outcome.error))
}

/** The problem of a body that was refused, and that nothing of it stayed. */
function refusalOf(outcome: Received): { code: string; pointers: (string | undefined)[] } {
  assert.deepEqual(readdirSync(folder), [], 'nothing is left behind')
  assert.ok('error' in outcome && outcome.error instanceof Problem, 'it is refused')
  const { code, errors = [] } = outcome.error.body('req_x') as {
    code: string
    errors?: { pointer: string }[]
  }
  return { code, pointers: errors.map(({ pointer }) => pointer) }
}

describe('a multipart body', () => {
  test('may have its fields before and after the file', async () => {
    for (const body of [
      bytesOf(field('kind', 'image'), field('to', 'ana'), file('12345')),
      bytesOf(file('12345'), field('kind', 'image'), field('to', 'ana')),
    ]) {
      const { fields, upload } = formOf(await send(bytesOf(body, end)))
      assert.deepEqual({ ...fields }, { kind: 'image', to: 'ana' })
      assert.equal(upload?.filename, 'a.bin')
      assert.equal(upload.mimeType, 'image/png')
      assert.equal(upload.file.size, 5)
      assert.equal(upload.file.sha256, '5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5')
      await upload.file.discard()
    }
    assert.deepEqual(readdirSync(folder), [])
  })

  test('may have an empty file, one of exactly the limit, and none', async () => {
    for (const size of [0, largest]) {
      const { upload } = formOf(await send(bytesOf(file('x'.repeat(size)), end)))
      assert.equal(upload?.file.size, size)
      await upload.file.discard()
    }
    assert.equal(formOf(await send(bytesOf(field('to', 'ana'), end))).upload, undefined)
  })

  test('over the limit is refused as soon as it is', async () => {
    const outcome = await send(bytesOf(file('x'.repeat(largest + 1)), end))
    assert.ok('error' in outcome && outcome.error instanceof MediaTooLarge)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('in chunks of any size is the same, and comes in memory that is used again and again', async () => {
    const content = randomBytes(largest)
    const body = bytesOf(field('to', 'ana'), file(content), field('kind', 'document'), end)
    for (const size of [100, 1_000, 16_384, 65_536, body.length]) {
      const { upload, fields } = formOf(await sendInChunks(body, size))
      assert.deepEqual({ ...fields }, { to: 'ana', kind: 'document' })
      assert.equal(upload?.file.size, largest)
      assert.equal(upload.file.sha256, createHash('sha256').update(content).digest('hex'))
      await upload.file.discard()
      const used = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)
      assert.ok(used < largest / 2, `${used} bytes of memory, in chunks of ${size}`)
    }
  })

  test('may have a field as JSON under its own type and a filename, as generated clients send it', async () => {
    const metadata = `--b\r\nContent-Disposition: form-data; name="metadata"; filename="blob"\r\nContent-Type: application/json\r\n\r\n{"a": "b"}\r\n`
    const { fields, upload } = formOf(await send(bytesOf(metadata, file('12345'), end)))
    assert.deepEqual({ ...fields }, { metadata: '{"a": "b"}' })
    assert.equal(upload?.file.size, 5)
    await upload.file.discard()
  })

  test('takes names like those of objects for what they are', async () => {
    const body = bytesOf(field('__proto__', 'a'), field('constructor', 'b'), end)
    const { fields } = formOf(await send(body))
    assert.deepEqual(Object.entries(fields), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  const malformed: Record<string, string | Buffer> = {
    'is empty': '',
    'has no part': 'no boundary in sight',
    'ends within a part': bytesOf(field('a', 'b'), file('half').subarray(0, -2)),
    'ends before its last boundary': bytesOf(field('a', 'b'), file('whole')),
    'has a thousand parts': bytesOf(
      ...Array.from({ length: 1000 }, (_, index) => field(`f${index}`, 'x')),
      end,
    ),
    'has a field without a name': bytesOf(part('content-disposition: form-data', 'x'), end),
    'has a file without a name': bytesOf(file('x', 'filename="x"'), end),
    'has a part that is no form data': bytesOf(
      field('a', 'b'),
      part('content-disposition: attachment; name="c"', 'x'),
      end,
    ),
    'has a part without headers': bytesOf('--b\r\n\r\nx\r\n', end),
  }
  for (const [what, body] of Object.entries(malformed)) {
    test(`that ${what} is malformed`, async () => {
      assert.equal(refusalOf(await send(body)).code, 'malformed_body')
    })
  }

  test('without a boundary is malformed', async () => {
    const outcome = await send(bytesOf(file('x'), end), 'multipart/form-data')
    assert.equal(refusalOf(outcome).code, 'malformed_body')
  })

  test('that the caller breaks off is malformed, whether in a field or in the file', async () => {
    for (const body of [field('a', 'b'), bytesOf(field('a', 'b'), file('half of it'))]) {
      assert.equal(refusalOf(await send(body, undefined, true)).code, 'malformed_body')
    }
  })

  test('that comes more slowly than it may is given up, and nothing of it stays', async () => {
    const outcome = new Promise<Received>((resolve) => {
      received = resolve
    })
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const head =
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\n\r\n'
    socket.write(bytesOf(head, file('the first bytes'.padEnd(70_000)).subarray(0, -2)))
    while (readdirSync(folder).length === 0) await new Promise((resolve) => setImmediate(resolve))
    ringPace()
    assert.equal(refusalOf(await outcome).code, 'request_timeout')
    socket.destroy()
  })

  const invalid: Record<string, [body: string | Buffer, pointer: string]> = {
    'has two files': [bytesOf(file('one'), file('two'), end), '/file'],
    'has its file under another name': [
      bytesOf(file('one', 'name="picture"; filename="a"'), end),
      '/picture',
    ],
    'has a field twice': [bytesOf(field('to', 'ana'), field('to', 'bert'), end), '/to'],
    'has a field that is too long': [bytesOf(field('to', 'x'.repeat(30_000)), end), '/to'],
    'has NUL in a field': [bytesOf(field('to', 'a\u0000b'), end), '/to'],
    'is not UTF-8': [bytesOf(field('to', Buffer.from([0xff, 0xfe])), end), '/to'],
  }
  for (const [what, [body, pointer]] of Object.entries(invalid)) {
    test(`that ${what} is invalid at ${pointer}`, async () => {
      assert.deepEqual(refusalOf(await send(body)), { code: 'invalid_request', pointers: [pointer] })
    })
  }

  test('within a multipart body is a file like any other', async () => {
    const inner = '--c\r\ncontent-disposition: form-data; name="to"\r\n\r\nevil\r\n--c--\r\n'
    const disposition = 'content-disposition: form-data; name="file"; filename="x"'
    const nested = part(`${disposition}\r\ncontent-type: multipart/mixed; boundary=c`, inner)
    const { fields, upload } = formOf(await send(bytesOf(nested, end)))
    assert.deepEqual({ ...fields }, {})
    assert.equal(upload?.file.size, inner.length)
    await upload.file.discard()
  })

  test('keeps nothing of a path in the name of its file', async () => {
    for (const name of ['../../etc/passwd', 'C:\\\\evil\\\\passwd', '/etc/passwd']) {
      const { upload } = formOf(await send(bytesOf(file('x', `name="file"; filename="${name}"`), end)))
      assert.equal(upload?.filename, 'passwd')
      await upload.file.discard()
    }
  })

  test('whose file has a name of ten kilobytes is taken, with as much of the name as headers may hold', async () => {
    const long = `name="file"; filename="${'n'.repeat(10_240)}"`
    const { upload } = formOf(await send(bytesOf(file('x', long), end)))
    assert.ok(upload && (upload.filename?.length ?? 0) < 8 * 1024)
    assert.equal(upload.file.size, 1)
    await upload.file.discard()
  })

  test('of any pieces of a form, in whatever order, is read or refused, and nothing of it stays', async () => {
    const pieces = fc.constantFrom(
      ...[
        field('to', 'ana'),
        field('a', ''),
        file('x'),
        file(''),
        file('', 'name="file"'),
        end,
        '--b',
        '--b-',
      ],
      ...[
        '\r\n',
        '\n',
        '-',
        ';',
        'x',
        '\u0000',
        '\r\n\r\n',
        ': ',
        'x'.repeat(9_000),
        'content-disposition: form-data',
      ],
      ...[
        '; name="a"',
        '; name="file"',
        '; filename="',
        "; filename*=utf-16le''%ff",
        'content-type: text/plain; charset',
      ],
    )
    const anything = fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (body) => {
      const outcome = await send(bytesOf(...body, end))
      if ('form' in outcome) await outcome.form.upload?.file.discard()
      else assert.ok(outcome.error instanceof Problem)
      assert.deepEqual(readdirSync(folder), [])
    })
    await fc.assert(anything, { numRuns: 500 })
  })
})

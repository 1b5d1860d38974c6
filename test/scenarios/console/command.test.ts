import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { Browser } from '../../kit/http/browser.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'

/* `posthorn console`, beside a running server. */

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const data = freshFolder()
let posthorn: PosthornProcess

before(async () => {
  posthorn = await spawnPosthorn(data)
})

after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(words: string, environment: Record<string, string> = {}): Promise<Ran> {
  const settings = { POSTHORN_DATA: data, ...environment }
  const child = spawn(process.execPath, [entry, ...words.split(' ')], {
    env: { ...ofThisRun(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: data,
  })
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()]
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: (await out).join(''), err: (await err).join('') }
}

async function done(words: string, environment?: Record<string, string>): Promise<Ran> {
  const ran = await run(words, environment)
  assert.equal(ran.code, 0, `posthorn ${words}: ${ran.out}${ran.err}`)
  return ran
}

test('a link signs one browser in, with the key that is asked for', async () => {
  const [first, byDefault] = [await done('console --organization default'), await done('console --operator')]
  for (const { out, err } of [first, byDefault]) {
    assert.match(out, /^\S+\/console#code=[0-9a-z]{52}\n$/, 'the link alone')
    assert.ok(
      out.startsWith(`${posthorn.url}/console#`),
      'where the server listens, whatever the settings here say',
    )
    assert.match(err, /^This link .* It works once, and for 10 minutes:\n$/)
  }
  const signIn = async ({ out }: Ran) => {
    const browser = new Browser(posthorn.url)
    const reply = await browser.signIn({ code: out.trim().split('#code=')[1] ?? '' })
    return { browser, status: reply.status }
  }
  const { browser, status } = await signIn(first)
  assert.equal(status, 204)
  assert.equal((await browser.ask('POST', '/v1/instances', { name: 'by-link' })).status, 201)
  assert.equal((await signIn(first)).status, 401)
  assert.equal((await (await signIn(byDefault)).browser.ask('GET', '/metrics')).status, 200)

  const { id } = JSON.parse((await done('keys create --organization default --role read --json')).out)
  const reader = (await signIn(await done(`console --key ${id}`))).browser
  assert.equal((await reader.ask('GET', '/v1/instances')).status, 200)
  assert.equal((await reader.ask('POST', '/v1/instances', { name: 'more' })).status, 403)
  await done(`keys revoke ${id}`)
  await done('organizations create keyless')
  for (const [words, code, sentence] of [
    [`console --key ${id}`, 1, /there is no such key, or it has expired or was revoked/],
    ['console --key key_nobodys', 1, /there is no such key/],
    ['console', 1, /several organizations; choose one with --organization/],
    ['console --organization keyless', 1, /npx posthorn keys create --organization keyless --role admin/],
    ['console --organization nobodys', 1, /there is no organization "nobodys"/],
    [`console --operator --key ${id}`, 2, /only one of --key, --organization and --operator/],
  ] as const) {
    const ran = await run(words)
    assert.equal(ran.code, code, `${words}: ${ran.err}`)
    assert.match(ran.err, sentence)
    assert.equal(ran.out, '')
  }
  const elsewhere = await done('console --operator', { POSTHORN_BASE_URL: 'https://messages.example.org' })
  assert.match(elsewhere.out, /^https:\/\/messages\.example\.org\/console#code=/)
  assert.doesNotMatch(posthorn.output(), /#code=/, 'a server that nobody watches makes no link')
  assert.match(posthorn.output(), /^ {2}console +http:\S+\/console$/m)
})

test('a link leads to where the server is, or the command says that it does not know', async () => {
  const listen = { POSTHORN_LISTEN: '127.0.0.1:8123' }
  await posthorn.end('SIGKILL')
  const guessed = await done('console --operator', listen)
  assert.match(guessed.out, /^http:\/\/127\.0\.0\.1:8123\/console#/)
  assert.match(guessed.err, /^No server on this data folder says where it is, .* set POSTHORN_BASE_URL\.\n/)
  const refused = await run('console --operator', { POSTHORN_LISTEN: '127.0.0.1:0' })
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /set POSTHORN_BASE_URL/)

  posthorn = await spawnPosthorn(data, { POSTHORN_BASE_URL: 'https://messages.example.org' })
  const proxied = await done('console --operator', listen)
  assert.match(proxied.out, /^https:\/\/messages\.example\.org\/console#/)
})

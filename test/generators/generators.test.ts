import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { sandbox } from '../../src/networks/sandbox/driver.ts'
import { xmpp } from '../../src/networks/xmpp/driver.ts'
import { XmppPerson } from '../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../kit/networks/xmpp/prosody.ts'
import { reaches } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { root } from '../kit/source-tree.ts'
import { generators, installGenerators } from './install.ts'

/*
 * Partners write their clients with a generator. Four of them read the document that the server serves; what they make of
 * it is compiled under `strict` with a program that uses it, and the program is run against the server.
 */

const run = promisify(execFile)
const picture = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')

/** Command of each generator, with the document at hand and a folder of its own for its output. */
const commands: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.ts'],
  'hey-api': ['openapi-ts', '-i', 'openapi.json', '-o', 'hey-api'],
  orval: ['orval', '--config', 'orval.config.mjs'],
  'swagger-typescript-api': [
    ...['swagger-typescript-api', 'generate', '-p', 'openapi.json'],
    ...['-o', 'swagger-typescript-api', '-n', 'api.ts'],
  ],
}

describe('clients that generators make of the document', needsProsody, () => {
  let folder: string
  let missing: string | undefined
  let web: Server
  let url: string
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson

  before(async () => {
    missing = await installGenerators()
    if (missing !== undefined) return
    web = createServer((_request, response) => response.end(picture))
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/a.png`
    prosody = await startProsody({ starttls: 'off', uploads: {} })
    ana = await XmppPerson.join(prosody, 'ana')
    posthorn = await startPosthorn({
      drivers: [sandbox(), xmpp({ ca: prosody.certificate })],
      environment: { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' },
    })
    folder = await workshop(posthorn.url)
  })
  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await prosody?.remove()
    web?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const [name, [command = '', ...words]] of Object.entries(commands)) {
    test(`${name}: creates an XMPP instance, sends a text, a URL and an upload`, async (context) => {
      if (missing !== undefined) return context.skip(missing)
      mkdirSync(join(folder, name), { recursive: true })
      await runIn(folder, join(generators, 'node_modules', '.bin', command), words)
      await compile(folder, name)
      await prosody.createUser(name, 'a password')
      const given = {
        baseUrl: posthorn.url,
        key: posthorn.adminKey,
        name,
        address: prosody.address(name),
        service: `xmpp://127.0.0.1:${prosody.port}`,
        password: 'a password',
        to: ana.address,
        url,
      }
      const output = await runIn(folder, process.execPath, [join('compiled', `${name}.js`)], {
        GIVEN: JSON.stringify(given),
      })
      const { address, status, ...messages } = JSON.parse(output) as Record<string, string>
      assert.deepEqual({ address, status }, { address: given.address, status: 'connected' })
      await arrived(messages)
    })
  }

  /** The text, the picture by its URL and the one that was uploaded reach Ana. */
  async function arrived(messages: Readonly<Record<string, string>>): Promise<void> {
    const kinds: Record<string, string> = {}
    for (const [what, id] of Object.entries(messages)) {
      const message = await reaches(posthorn.admin, id, 'delivered')
      const arrival = await ana.receives((one) => one.id === message.network_message_id)
      if (what !== 'text') assert.equal((await ana.downloads(arrival)).size, picture.length, what)
      kinds[what] = message.kind
    }
    assert.deepEqual(kinds, { text: 'text', url: 'image', upload: 'image' })
  }
})

/** A folder with the document, the programs, and the packages that the generators and what they make need. */
async function workshop(baseUrl: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-generators-'))
  cpSync(join(generators, 'programs'), folder, { recursive: true })
  symlinkSync(join(generators, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  const document = await (await fetch(`${baseUrl}/v1/openapi.json`)).json()
  write('openapi.json', document)
  write('package.json', { type: 'module' })
  const types = { typeRoots: [join(root, 'node_modules', '@types')], types: ['node'], skipLibCheck: true }
  const language = { target: 'esnext', module: 'nodenext', lib: ['esnext', 'dom', 'dom.iterable'] }
  write('tsconfig.json', { compilerOptions: { ...language, ...types, strict: true, outDir: 'compiled' } })
  const orval = { input: './openapi.json', output: { target: './orval/client.ts', client: 'fetch', baseUrl } }
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify({ posthorn: orval })}`)
  return folder
}

/** Compiles the program and what was generated for it, with the compiler of this project. */
async function compile(folder: string, name: string): Promise<void> {
  const settings = {
    extends: './tsconfig.json',
    compilerOptions: { rootDir: '.' },
    files: [`${name}.ts`, 'given.ts'],
  }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(settings))
  await runIn(folder, join(root, 'node_modules', '.bin', 'tsc'), ['-p', `${name}.json`])
}

/** Runs a program with Node as this test has it; a failure tells all that the program wrote. */
async function runIn(
  folder: string,
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const bin = join(root, 'node_modules', '.bin')
  const PATH = `${bin}:${process.env.PATH}`
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  try {
    const env = { ...inherited, PATH, NO_COLOR: '1', ...environment }
    return (await run(program, words, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

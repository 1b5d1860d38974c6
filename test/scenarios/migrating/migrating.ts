import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { listWebhooks } from '../../../src/contract/operations/webhook-operations.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { type Ran, runCommand } from '../../kit/processes/run-command.ts'

/** A person who has logged in to a Posthorn elsewhere, and comes from another gateway. */
export interface Newcomer {
  readonly posthorn: PosthornProcess
  /** A file with the key of the other gateway. */
  readonly keyFile: string
  run(words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran>
  /** The instances and webhooks that there are now. */
  present(): ReturnType<typeof presentIn>
}

/** Starts a Posthorn whose WhatsApp is nowhere, and logs a person in to it. */
export async function newcomer(context: TestContext, key: string): Promise<Newcomer> {
  const home = freshFolder()
  const posthorn = await spawnPosthorn(join(freshFolder(), 'data'), {
    POSTHORN_WHATSAPP_SERVER: 'wss://127.0.0.1:1/ws/chat',
  })
  context.after(async () => {
    await posthorn.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })
  const keyFile = join(home, 'other.key')
  writeFileSync(keyFile, `${key}\n`)
  const surroundings = { XDG_CONFIG_HOME: join(home, 'config') }
  const run = (words: readonly string[], environment = {}) =>
    runCommand(words, { environment: { ...surroundings, ...environment }, cwd: home })
  const keyOfOurs = join(home, 'posthorn.key')
  writeFileSync(keyOfOurs, posthorn.adminKey)
  const login = await run(['login', posthorn.url, '--name', 'work', '--key-file', keyOfOurs])
  assert.equal(login.code, 0, login.err)
  return { posthorn, keyFile, run, present: () => presentIn(posthorn) }
}

async function presentIn({ admin }: PosthornProcess) {
  const instances = (await admin.call(listInstances)).body.data
  const webhooks = (await admin.call(listWebhooks)).body.data
  return {
    instances: instances.map(({ name, network, metadata }) => ({ name, network, metadata })),
    webhooks: webhooks.map(({ url, events, instances: of, ordering }) => ({ url, events, of, ordering })),
  }
}

/** Fails if one of these secrets was printed. */
export function printsNone(ran: Ran, secrets: readonly string[]): void {
  for (const secret of secrets) assert.ok(!`${ran.out}${ran.err}`.includes(secret), `printed ${secret}`)
}

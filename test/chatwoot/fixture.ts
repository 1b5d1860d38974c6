import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createKey } from '../../src/contract/operations/key-operations.ts'
import { freePorts } from '../kit/far-ends/free-ports.ts'
import { readTranscript } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { createCalledBack, postCallback } from '../kit/sandbox-callbacks.ts'
import { SimulatedChatwoot } from '../simulators/chatwoot/chatwoot.ts'
import type { StoredConversation, StoredMessage } from '../simulators/chatwoot/world.ts'
import { type BridgeProcess, spawnBridge } from './bridge-process.ts'
import { patiently } from './patiently.ts'

/** Posthorn with an instance of the sandbox, a simulated Chatwoot, and the bridge between them. Each can be killed and started again. */
export class Fixture {
  readonly chatwoot: SimulatedChatwoot
  /** The output of each bridge that ended by itself. */
  readonly crashes: string[] = []
  readonly #home = freshFolder()
  readonly #environment: Readonly<Record<string, string>>
  readonly #bridges: BridgeProcess[] = []
  /** Of Posthorn and of the bridge, which are theirs while they are away, too. */
  #ports: readonly number[] = []
  #posthorn: PosthornProcess | undefined
  #bridge: BridgeProcess | undefined
  #callbackPath = ''
  #key = ''

  constructor(environment: Readonly<Record<string, string>> = {}, random: () => number = Math.random) {
    this.#environment = environment
    this.chatwoot = new SimulatedChatwoot({ random })
  }

  get posthorn(): PosthornProcess {
    if (!this.#posthorn) throw new Error('Posthorn does not run')
    return this.#posthorn
  }

  get bridge(): BridgeProcess {
    if (!this.#bridge) throw new Error('the bridge does not run')
    return this.#bridge
  }

  async start(): Promise<void> {
    const [port, ...others] = await freePorts(3)
    this.#ports = others
    await this.chatwoot.start(port)
    await this.startPosthorn()
    this.#callbackPath = await createCalledBack(this.posthorn.admin, 'shop')
    this.#key = await this.#createKey()
    await this.startBridge()
  }

  /** Creates the key that the README of the bridge asks for. */
  async #createKey(): Promise<string> {
    const body = { role: 'send' as const, instances: ['shop'] }
    return (await this.posthorn.admin.call(createKey, { body })).body.key
  }

  /** Starts it on its port, as a service would be. */
  async startPosthorn(): Promise<void> {
    this.#posthorn = await spawnPosthorn(join(this.#home, 'posthorn'), {
      POSTHORN_SANDBOX_TRANSCRIPT: this.#transcript,
      POSTHORN_BASE_URL: 'http://127.0.0.1:8080',
      POSTHORN_LISTEN: `127.0.0.1:${this.#ports[0]}`,
    })
  }

  /** Starts the bridge on its port. */
  async startBridge(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const BRIDGE_LISTEN = `127.0.0.1:${this.#ports[1]}`
    const bridge = await this.spawnAnother({ BRIDGE_LISTEN, ...environment })
    this.#bridge = bridge
    void bridge.ended.then((code) => code !== null && code > 0 && this.crashes.push(bridge.output()))
    this.chatwoot.webhookUrl = bridge.webhookUrl
  }

  /** Starts a bridge with these settings changed. */
  async spawnAnother(environment: Readonly<Record<string, string>>): Promise<BridgeProcess> {
    const { accountId, inboxId } = this.chatwoot.world
    const bridge = await spawnBridge({
      POSTHORN_URL: this.posthorn.url,
      POSTHORN_KEY: this.#key,
      POSTHORN_INSTANCE: 'shop',
      CHATWOOT_URL: this.chatwoot.url,
      CHATWOOT_TOKEN: this.chatwoot.token,
      CHATWOOT_ACCOUNT: String(accountId),
      CHATWOOT_INBOX: String(inboxId),
      CHATWOOT_WEBHOOK_SECRET: this.chatwoot.secret,
      BRIDGE_DATA: join(this.#home, 'bridge'),
      BRIDGE_SETTLE_SECONDS: '2',
      ...this.#environment,
      ...environment,
    })
    this.#bridges.push(bridge)
    return bridge
  }

  /** Returns an empty folder for a bridge. */
  freshData(): string {
    return mkdtempSync(join(this.#home, 'bridge-'))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#bridges.map((bridge) => bridge.end('SIGKILL')))
    await this.#posthorn?.end('SIGKILL')
    await this.chatwoot.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** A person writes to the account of the instance; resolves once Posthorn has it. */
  async personWrites(from: string, text: string): Promise<void> {
    const path = new URL(this.#callbackPath, this.posthorn.url).pathname
    const response = await postCallback(this.posthorn.url, path, JSON.stringify({ from, text }))
    await response.body?.cancel()
    if (response.status !== 200) throw new Error(`the callback was answered with ${response.status}`)
  }

  /** The messages that reached a person, in their order. The network shows none twice that has one id. */
  arrivedAt(person: string) {
    const own = readTranscript(this.#transcript).filter(({ to }) => to === person)
    return own.filter(({ id }, index) => own.findIndex((first) => first.id === id) === index)
  }

  /** The messages in Chatwoot from or to this person. */
  shownOf(person: string): readonly StoredMessage[] {
    return this.chatwoot.world.conversations
      .filter(({ sourceId }) => sourceId === person)
      .flatMap(({ messages }) => messages)
  }

  /** Resolves with the conversation of a person, once Chatwoot has it. */
  async conversationOf(person: string): Promise<StoredConversation> {
    const find = async () => this.chatwoot.world.conversations.find(({ sourceId }) => sourceId === person)
    const found = await patiently(`a conversation with ${person}`, find, (one) => one !== undefined)
    if (!found) throw new Error('there is none')
    return found
  }

  get #transcript(): string {
    return join(this.#home, 'transcript.jsonl')
  }
}

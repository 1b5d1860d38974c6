import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientEvent } from '../../src/contract/client/client.ts'
import type { QueryOf } from '../../src/contract/operation.ts'
import { createInstance, getInstanceStatus } from '../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../src/contract/operations/message-operations.ts'
import type { Instance, InstanceConnectivity, InstanceStatus } from '../../src/contract/resources/instance.ts'
import type { Message } from '../../src/contract/resources/message.ts'
import type { TranscriptLine } from '../../src/networks/sandbox/people/far-end.ts'
import type { CheckedClient } from './http/checked-client.ts'
import { Listener } from './http/listener.ts'
import { freshFolder, type Posthorn, type PosthornOptions, startPosthorn } from './posthorn.ts'

const timeout = 30_000

/** Reads again and again until it is enough. For facts of which the contract has no event, such as a receipt. */
export async function eventually<T>(
  what: string,
  read: () => Promise<T>,
  enough: (reading: T) => boolean,
  within = timeout,
): Promise<T> {
  const begun = performance.now()
  for (;;) {
    const reading = await read()
    if (enough(reading)) return reading
    const waited = performance.now() - begun
    if (waited > within)
      throw new Error(`waited in vain for ${what}: ${JSON.stringify(reading)?.slice(0, 2_000)}`)
    // The longer it takes, the less often it asks: to ask all the time would slow down what is waited for.
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 + waited / 10, 250)))
  }
}

/** A Posthorn with an observer at the far end of its sandbox. */
export async function startObserved(
  options: PosthornOptions = {},
): Promise<{ posthorn: Posthorn; transcript: () => TranscriptLine[] }> {
  const path = join(freshFolder(), 'transcript.jsonl')
  const environment = { ...options.environment, POSTHORN_SANDBOX_TRANSCRIPT: path }
  const posthorn = await startPosthorn({ ...options, environment })
  return { posthorn, transcript: () => readTranscript(path) }
}

export function readTranscript(path: string): TranscriptLine[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TranscriptLine)
}

type Settings = Readonly<Record<string, unknown>>

/** Creates an instance and returns it once it is connected, or needs a person. */
export async function create(
  client: CheckedClient,
  name: string,
  settings: Settings = {},
): Promise<Instance> {
  return (await client.call(createInstance, { body: { name, settings }, waitSeconds: 20 })).body
}

/** Sends a text and returns it as it was accepted, or, if `wait` is given, once it is settled. */
export async function text(
  client: CheckedClient,
  body: {
    instance: string
    to: string
    text?: string
    reply_to?: string
    topic?: string
    client_ref?: string
    send_at?: string
    expires_at?: string
  },
  wait = 0,
): Promise<Message> {
  const options = { body: { text: 'Good morning', ...body }, ...(wait > 0 ? { waitSeconds: wait } : {}) }
  return (await client.call(sendTextMessage, options)).body
}

/** The message, once it has this status. */
export function reaches(client: CheckedClient, id: string, status: Message['status']): Promise<Message> {
  const read = async () => (await client.call(getMessage, { params: { id } })).body
  return eventually(`${id} to be ${status}`, read, (message) => message.status === status)
}

/** Everything that came in to an instance, oldest first. */
export function everythingReceived(client: CheckedClient, instance: string): Promise<Message[]> {
  return everythingListed(client, { instance, direction: 'inbound', limit: 200 })
}

/** Every message that fits, from as many pages as it takes, oldest first. */
export async function everythingListed(
  client: CheckedClient,
  query: QueryOf<typeof listMessages>,
): Promise<Message[]> {
  const messages: Message[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await client.call(listMessages, { query: { ...query, ...(cursor ? { cursor } : {}) } })
    messages.push(...body.data)
    cursor = body.next_cursor
  }
  return messages.toReversed()
}

/** A moment, so many milliseconds from now. */
export function inMs(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString()
}

/** Follows the status of an instance, and remembers everything that was shown. */
export class Follower extends Listener<InstanceConnectivity> {
  /** True once the stream said that the instance is gone. */
  deleted = false

  constructor(client: CheckedClient, name: string) {
    super((signal) => client.stream(getInstanceStatus, { params: { name }, signal }))
  }

  get statuses(): InstanceStatus[] {
    return this.seen.map(({ status }) => status)
  }

  status(status: InstanceStatus): Promise<InstanceConnectivity> {
    return this.until(status, (now) => now.status === status)
  }

  protected take({ event, data }: ClientEvent): void {
    if (event === 'deleted') this.deleted = true
    else this.seen.push(data as InstanceConnectivity)
  }
}

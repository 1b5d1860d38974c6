import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { OutgoingConnectionOptions } from '../../../src/net/dial/connection.ts'
import { type HttpClient, type HttpClients, httpClients } from '../../../src/net/http/client.ts'
import type {
  HttpDownload,
  HttpFailure,
  HttpOpened,
  HttpRequest,
  HttpResponse,
} from '../../../src/net/http/request.ts'
import { FakeTime } from '../fake-time.ts'
import { listed, listedName, type Naming, nameServer, namesOf } from './fetching.ts'
import type { NameServer } from './name-server.ts'

/** A driver that sends requests, with time that passes when the test says so and names that lead where the test wants. */
export class Requesting {
  readonly time = new FakeTime()
  readonly names: NameServer
  readonly client: HttpClient
  readonly #clients: HttpClients

  private constructor(names: NameServer, options: Partial<OutgoingConnectionOptions>) {
    this.names = names
    this.#clients = httpClients({
      ...this.time,
      allowedBlocks: [`${listed}/32`],
      names: namesOf(names, this.time),
      userAgent: 'Posthorn/1.2.3',
      ...options,
    })
    this.client = this.#clients.of('caller')
  }

  /** Every name leads to the listed address, unless `answer` says something else. */
  static async start(
    t: TestContext,
    answer: Naming = listedName,
    options: Partial<OutgoingConnectionOptions> = {},
  ): Promise<Requesting> {
    const requesting = new Requesting(await nameServer(t, answer), options)
    t.after(() => requesting.close())
    return requesting
  }

  /** Ends the idle connections. */
  close(): void {
    this.#clients.close()
  }

  /** A post of some JSON, unless the wishes say something else. */
  request(url: string, wishes: Partial<HttpRequest> = {}): Promise<HttpResponse | HttpFailure> {
    const { signal } = new AbortController()
    return this.client.request({
      method: 'POST',
      url,
      body: { json: {} },
      maxBytes: 1_000,
      signal,
      ...wishes,
    })
  }

  open(url: string, wishes: Partial<HttpDownload> = {}): Promise<HttpOpened | HttpFailure> {
    return this.client.open({ url, maxBytes: 1_000_000, signal: new AbortController().signal, ...wishes })
  }
}

/** Expects a request to have failed, and returns when and why. */
export function failureIn(result: HttpResponse | HttpOpened | HttpFailure): string {
  assert.equal(result.kind, 'failed')
  return result.kind === 'failed' ? `${result.phase}: ${result.reason}` : ''
}

/** Expects an answer, and returns its status and text. */
export function answerIn(result: HttpResponse | HttpFailure): [status: number, body: string] {
  assert.ok(result.kind === 'responded', JSON.stringify(result))
  return [result.status, result.body.toString()]
}

import assert from 'node:assert/strict'

/** An answer as it came over HTTP. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Rpc
}

/** The body of an answer, as far as tests look into it. */
export interface Rpc {
  readonly id?: unknown
  readonly result?: Record<string, unknown> & {
    readonly content?: readonly { readonly type: string; readonly text: string }[]
    readonly isError?: boolean
    readonly tools?: readonly ListedTool[]
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: {
    readonly properties: Record<string, unknown>
    readonly required?: readonly string[]
  }
  readonly annotations: Record<string, boolean>
}

export const stateless = '2026-07-28'

const meta = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientInfo': { name: 'trial', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends exactly this to `/mcp`. */
export async function post(
  url: string,
  body: string | object,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...type, ...headers }, body: text })
  const said = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text: said,
    json: isJson ? JSON.parse(said) : {},
  }
}

/** An assistant with a key, which speaks the revision without sessions. */
export class Assistant {
  readonly #url: string
  readonly #key: string
  /** The texts of all answers so far. */
  readonly heard: string[] = []

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  /** Asks by a method of the protocol. */
  async ask(method: string, params: Record<string, unknown> = {}, id: string | number = 1): Promise<Answer> {
    const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }
    const answer = await post(this.#url, body, {
      authorization: `Bearer ${this.#key}`,
      'mcp-protocol-version': stateless,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    })
    this.heard.push(JSON.stringify([...answer.headers]) + answer.text)
    return answer
  }

  /** The names of the tools that the key may call. */
  async toolNames(): Promise<string[]> {
    const { json } = await this.ask('tools/list')
    return (json.result?.tools ?? []).map(({ name }) => name)
  }

  /** Calls a tool; resolves with its last text and with those before it. */
  async call(name: string, given: unknown = {}) {
    const { json, text } = await this.ask('tools/call', { name, arguments: given })
    const texts = json.result?.content?.map((part) => part.text) ?? assert.fail(text)
    return { isError: json.result?.isError ?? false, said: texts.at(-1) ?? '', before: texts.slice(0, -1) }
  }

  /** Calls a tool that must not be refused, and returns its result as an object. */
  async done(name: string, given: unknown = {}): Promise<Record<string, unknown>> {
    const { isError, said } = await this.call(name, given)
    assert.ok(!isError, said)
    return JSON.parse(said) as Record<string, unknown>
  }

  /** Calls a tool that must be refused, and returns the sentences. */
  async refused(name: string, given: unknown = {}): Promise<string> {
    const { isError, said } = await this.call(name, given)
    assert.ok(isError, said)
    return said
  }
}

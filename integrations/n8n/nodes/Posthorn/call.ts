import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from 'n8n-workflow'
import { NodeApiError } from 'n8n-workflow'

/** The functions that n8n gives to the parts of a node that call a server. */
export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions

export interface Call {
  readonly method: IHttpRequestMethods
  readonly path: string
  readonly query?: IDataObject
  /** JSON, or the bytes of a form. */
  readonly body?: IDataObject | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** The item that the call is for, which errors name. */
  readonly itemIndex?: number
  /** True if bytes are wanted, and no JSON. */
  readonly isForFile?: boolean
}

/** The bytes of a file, and their type. */
export interface AskedFile {
  readonly bytes: Buffer
  readonly type: string
}

/** Statuses and bodies of a server; a body is undefined if it is no JSON. */
export interface Called {
  readonly status: number
  readonly body: IDataObject | undefined
}

/** Milliseconds that a call may take, a wait of the server and a large file included. */
const callTimeout = 300_000

/** Calls Posthorn, and returns any answer. Throws if there is none. A redirect is not followed: the key would go along. */
export async function ask(caller: Caller, call: Call): Promise<Called> {
  const { statusCode, body } = await request(caller, call)
  return { status: statusCode, body: jsonIn(body) }
}

/** Gets a file. Throws what Posthorn refuses, in its words. */
export async function askForFile(caller: Caller, call: Omit<Call, 'method'>): Promise<AskedFile> {
  const { statusCode, headers, body } = await request(caller, { ...call, method: 'GET', isForFile: true })
  if (statusCode !== 200) throw refusal(caller, { status: statusCode, body: jsonIn(body) }, call.itemIndex)
  return { bytes: body as Buffer, type: String(headers['content-type'] ?? 'application/octet-stream') }
}

async function request(caller: Caller, call: Call): Promise<IN8nHttpFullResponse> {
  const { url } = await caller.getCredentials<{ url: string }>('posthornApi')
  const { method, path, query, body, headers, itemIndex, isForFile = false } = call
  const accepted = isForFile ? '*/*' : 'application/json, application/problem+json'
  try {
    return (await caller.helpers.httpRequestWithAuthentication.call(caller, 'posthornApi', {
      method,
      url: `${url.trim().replace(/\/+$/, '')}${path}`,
      headers: { Accept: accepted, ...headers },
      ...(query && { qs: query }),
      ...(body && { body }),
      json: body !== undefined && !Buffer.isBuffer(body),
      ...(isForFile && { encoding: 'arraybuffer' as const }),
      timeout: callTimeout,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    })) as IN8nHttpFullResponse
  } catch (error) {
    throw new NodeApiError(caller.getNode(), error as JsonObject, {
      message: 'Posthorn cannot be reached',
      description: `${(error as Error).message}. Check that it runs, and the URL in the credentials.`,
      ...(itemIndex !== undefined && { itemIndex }),
    })
  }
}

/** Calls Posthorn, and returns the body of its success. Throws what it refuses, in its words. */
export async function call(caller: Caller, asked: Call): Promise<IDataObject> {
  const { status, body } = await ask(caller, asked)
  if (status < 200 || status > 299) throw refusal(caller, { status, body }, asked.itemIndex)
  return body ?? {}
}

/** The error for an answer that is no success. */
export function refusal(caller: Caller, { status, body }: Called, itemIndex?: number): NodeApiError {
  const { title, detail, errors, code } = body ?? {}
  const isProblem = typeof title === 'string' && typeof detail === 'string'
  const faults = Array.isArray(errors) ? (errors as IDataObject[]) : []
  const sentences = [detail, ...faults.map((fault) => `${fault.pointer}: ${fault.detail}`)]
  return new NodeApiError(caller.getNode(), (body ?? {}) as JsonObject, {
    message: isProblem ? `${title} (${code})` : `The server answered ${status}, and not as Posthorn does`,
    description: isProblem ? sentences.join(' ') : 'Check the URL in the credentials, and a proxy before it.',
    httpCode: String(status),
    ...(itemIndex !== undefined && { itemIndex }),
  })
}

/** All entries of a list, or as many as are wanted: pages may be short or empty before the last. */
export async function everyEntry(
  caller: Caller,
  asked: Call,
  wanted = Number.POSITIVE_INFINITY,
): Promise<IDataObject[]> {
  const entries: IDataObject[] = []
  let cursor: string | null | undefined
  while (cursor !== null && entries.length < wanted) {
    const limit = Math.min(maxPage, wanted - entries.length)
    const query: IDataObject = { ...asked.query, limit, ...(cursor && { cursor }) }
    const page = await call(caller, { ...asked, query })
    entries.push(...(page.data as IDataObject[]))
    cursor = page.next_cursor as string | null
  }
  return entries
}

/** Entries of a page. */
const maxPage = 200

function jsonIn(body: unknown): IDataObject | undefined {
  if (typeof body === 'object' && body !== null && !Buffer.isBuffer(body)) return body as IDataObject
  try {
    const value: unknown = JSON.parse(String(body))
    return typeof value === 'object' && value !== null ? (value as IDataObject) : undefined
  } catch {
    return undefined
  }
}

import type { BuiltNodes } from './built-nodes.ts'

/** A file of an item, as n8n has it in memory. */
export interface BinaryFile {
  readonly fileName?: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** An execution of a node in n8n, as far as the node sees it. */
export interface NodeRun {
  readonly url: string
  readonly key: string
  /** The parameters of each item; each with a dot is a path. */
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly files?: Readonly<Record<string, BinaryFile>>
  readonly executionId?: string
  readonly runIndex?: number
  readonly instanceId?: string
  readonly continueOnFail?: boolean
  /** The stored memory of the node. */
  readonly memory?: Record<string, unknown>
  readonly webhookUrl?: string
}

interface RequestOptions {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly qs?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly json: boolean
  readonly ignoreHttpStatusErrors: boolean
  readonly returnFullResponse: boolean
  readonly disableFollowRedirect: boolean
  readonly encoding?: 'arraybuffer'
}

/** The functions that n8n gives to a node, with the requests that it makes for nodes. */
export function n8nFunctions({ PosthornApi }: Pick<BuiltNodes, 'PosthornApi'>, run: NodeRun): object {
  const credentials = { url: run.url, apiKey: run.key }
  const node = {
    id: 'a6d0f7e2-0000-4000-8000-000000000001',
    name: 'Posthorn',
    type: 'posthorn',
    parameters: {},
  }
  const request = async (type: string, options: RequestOptions) => {
    if (type !== 'posthornApi') throw new Error(`there are no credentials ${type}`)
    const { headers } = new PosthornApi().authenticate.properties
    const own = Object.entries(headers).map(([name, value]) => [name, resolved(value, credentials)])
    return requested(options, Object.fromEntries(own))
  }
  const parameterOf = (name: string, item: number, fallback?: unknown) =>
    name
      .split('.')
      .reduce((value: unknown, part) => (value as Record<string, unknown>)?.[part], run.items[item]) ??
    fallback
  return {
    getCredentials: async () => credentials,
    getNode: () => node,
    getInstanceId: () => run.instanceId ?? 'instance-1',
    getWorkflow: () => ({ id: 'workflow-1', name: 'A workflow', active: true }),
    getExecutionId: () => run.executionId ?? '1',
    getTimezone: () => 'Europe/Berlin',
    getWorkflowDataProxy: () => ({ $runIndex: run.runIndex ?? 0 }),
    getWorkflowStaticData: () => run.memory ?? {},
    getNodeWebhookUrl: () => run.webhookUrl,
    getInputData: () => run.items.map(() => ({ json: {} })),
    continueOnFail: () => run.continueOnFail ?? false,
    // Nodes ask with an item, and hooks and webhooks without one.
    getNodeParameter: (name: string, item: unknown, fallback?: unknown) =>
      typeof item === 'number' ? parameterOf(name, item, fallback) : parameterOf(name, 0, item),
    helpers: {
      httpRequestWithAuthentication: request,
      returnJsonArray: (entries: object[]) => entries.map((json) => ({ json })),
      assertBinaryData: (_item: number, name: string) => run.files?.[name],
      prepareBinaryData: async (bytes: Buffer, fileName: string, mimeType: string) => ({
        ...{ data: bytes.toString('base64'), fileName, mimeType },
      }),
      getBinaryDataBuffer: async (_item: number, name: string) => run.files?.[name]?.bytes,
    },
  }
}

/** Resolves the only expression that credentials use: `{{$credentials.NAME}}`. */
export function resolved(text: string, credentials: Readonly<Record<string, string>>): string {
  if (!text.startsWith('=')) return text
  return text
    .slice(1)
    .replaceAll(/\{\{\$credentials\.(\w+)\}\}/g, (_, name: string) => credentials[name] ?? '')
}

/** Makes a request as n8n does: with these options it returns any status, and follows no redirect. */
async function requested(options: RequestOptions, own: Readonly<Record<string, string>>) {
  if (!(options.ignoreHttpStatusErrors && options.returnFullResponse && options.disableFollowRedirect))
    throw new Error('these nodes ask for whole answers, and follow no redirect')
  const url = new URL(options.url)
  for (const [name, value] of Object.entries(options.qs ?? {})) url.searchParams.set(name, String(value))
  const type: Record<string, string> = options.json ? { 'content-type': 'application/json' } : {}
  const response = await fetch(url, {
    method: options.method,
    headers: { ...type, ...options.headers, ...own },
    redirect: 'manual',
    ...(options.body !== undefined && {
      body: Buffer.isBuffer(options.body) ? new Uint8Array(options.body) : JSON.stringify(options.body),
    }),
  })
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: options.encoding ? Buffer.from(await response.bytes()) : await response.text(),
  }
}

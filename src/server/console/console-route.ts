import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Handler } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import { acceptsGzip, gzip } from '../responses/gzip.ts'
import type { ConsoleFiles } from './console-files.ts'
import { consolePage, consolePolicy } from './console-page.ts'
import { loadFiles } from './load-files.ts'

/** The paths that the console is served under. `*` stands for the rest of a path. */
export const consolePaths = ['/console', '/console/', '/console/*', '/console/files/{digest}/*'] as const

/** Serves the console. Its files stay in memory once a browser has opened it. */
export function serveConsole(
  server: FastifyInstance,
  {
    enter: onRequest,
    handlers,
    version,
  }: {
    /** Lets a request in that needs no key. */
    readonly enter: (request: FastifyRequest) => Promise<unknown>
    readonly handlers: readonly Handler[]
    readonly version: string
  },
): void {
  const operations = handlers.map(({ operation }) => operation)
  const load = serveFiles(server, '/console/files', { onRequest, read: () => loadFiles('console') })
  server.get('/console', { onRequest }, async (request, reply) => {
    const { digest, preloaded } = await load()
    const page = consolePage({ digest, preloaded, operations, version })
    // Nothing in the page is secret or from the request, so its compressed length tells nothing.
    const isGzipped = acceptsGzip(request.headers)
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': consolePolicy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        ...gzipHeaders(isGzipped),
      })
      .send(isGzipped ? await gzip(page) : page)
  })
  // Relative, because a proxy may serve everything under a path prefix.
  server.get('/console/', { onRequest }, async (_request, reply) =>
    reply.code(308).header('location', '../console').send(),
  )
  // A person who leaves out the # comes to the screen nevertheless.
  server.get('/console/*', { onRequest }, async (request, reply) => {
    const place = request.url.slice('/console/'.length)
    const [path = ''] = place.split('?')
    const up = '../'.repeat(path.split('/').length)
    return reply.code(302).header('location', `${up}console#/${place}`).send()
  })
}

interface Source {
  readonly onRequest: (request: FastifyRequest) => Promise<unknown>
  readonly read: () => Promise<ConsoleFiles>
}

/** Serves the files of a page under a path, and returns what reads them, which it does when they are asked for first. */
export function serveFiles(
  server: FastifyInstance,
  path: string,
  { onRequest, read }: Source,
): () => Promise<ConsoleFiles> {
  let loading: Promise<ConsoleFiles> | undefined
  let loaded: ConsoleFiles | undefined
  const load = () => {
    loading ??= read().then(
      (files) => {
        loaded = files
        return files
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  // A page asks for dozens of them at once. Were they counted, a few people behind one address could not open it.
  const letIn = async (request: FastifyRequest) => {
    if (loaded === undefined || paramsOf(request).digest !== loaded.digest) await onRequest(request)
  }
  server.get(`${path}/:digest/*`, { onRequest: letIn }, async (request, reply) =>
    sendFile(request, reply, await load()),
  )
  return load
}

/** Answers with a file that browsers may keep for good: its path names the digest of everything. */
function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { digest, files }: ConsoleFiles,
): FastifyReply {
  const params = paramsOf(request)
  const file = params.digest === digest ? files.get(params['*']) : undefined
  if (!file) throw new Problem('route_not_found')
  const isGzipped = acceptsGzip(request.headers)
  return reply
    .headers({
      'content-type': file.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      ...gzipHeaders(isGzipped),
    })
    .send(isGzipped ? file.gzipped : file.body)
}

function gzipHeaders(isGzipped: boolean) {
  return { vary: 'accept-encoding', ...(isGzipped ? { 'content-encoding': 'gzip' } : {}) }
}

function paramsOf({ params }: FastifyRequest) {
  return params as { readonly digest: string; readonly '*': string }
}

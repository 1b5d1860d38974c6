import type { FastifyInstance, FastifyRequest } from 'fastify'
import { docsPaths, docsResponse } from './docs-page.ts'

/** Serves the reference, which is open to all callers whom `enter` lets in. */
export function serveDocs(
  server: FastifyInstance,
  onRequest: (request: FastifyRequest) => Promise<unknown>,
): void {
  for (const path of docsPaths) {
    server.get(path, { onRequest }, async (request, reply) => {
      const { status, headers, body } = await docsResponse(path, request.headers)
      // Browsers may cache the reference, unlike everything else.
      return reply.headers(headers).code(status).send(body)
    })
  }
  // Relative, because a proxy may serve everything under a path prefix.
  server.get('/', { onRequest }, async (_request, reply) => reply.code(307).header('location', 'docs').send())
  server.get('/docs/', { onRequest }, async (_request, reply) =>
    reply.code(308).header('location', '../docs').send(),
  )
}

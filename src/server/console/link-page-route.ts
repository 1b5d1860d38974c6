import type { FastifyInstance, FastifyRequest } from 'fastify'
import { entryOf } from './console-files.ts'
import { consolePolicy } from './console-page.ts'
import { serveFiles } from './console-route.ts'
import { loadFiles } from './load-files.ts'

/** The paths that the link page is served under. `*` stands for the rest of a path. */
export const linkPagePaths = ['/link', '/link/files/{digest}/*'] as const

/** Serves the page on which customers link their accounts: the same to all visitors, as its token is in no request. */
export function serveLinkPage(
  server: FastifyInstance,
  onRequest: (request: FastifyRequest) => Promise<unknown>,
): void {
  const load = serveFiles(server, '/link/files', { onRequest, read: () => loadFiles('link-page') })
  server.get('/link', { onRequest }, async (_request, reply) => {
    const { digest, preloaded } = await load()
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': consolePolicy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-robots-tag': 'noindex',
      })
      .send(page(`link/files/${digest}`, preloaded))
  })
}

/** All its links are relative, because a proxy may serve everything under a path prefix. */
function page(folder: string, preloaded: readonly string[]): string {
  const preloads = preloaded.map((path) => `    <link rel="modulepreload" href="${folder}/${path}">`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <title>Link your account</title>
    <link rel="icon" href="${folder}/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${folder}/style.css">
${preloads.join('\n')}
    <script type="module" src="${folder}/${entryOf('link-page')}"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript.</noscript>
    <div id="page"></div>
  </body>
</html>
`
}

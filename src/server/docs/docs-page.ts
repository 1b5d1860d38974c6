import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inChild } from '../../runtime/system/in-child.ts'
import { icon } from '../console/icon.ts'
import { acceptsGzip } from '../responses/gzip.ts'
import type { DocsComponent } from './print-component.ts'

/** A file of the reference, ready to be served. */
export interface DocsRoute {
  readonly path: string
  readonly contentType: string
  /** Besides the content type: caching, the entity tag, and what the browser may do. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The same body for clients that accept gzip; absent if it is too small to matter. */
  readonly gzipped?: Buffer
}

export interface DocsResponse {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The paths that the reference is served under, known before its files are loaded. */
export const docsPaths = [
  '/docs',
  '/docs/reference.js',
  '/docs/start.js',
  '/docs/reference.css',
  '/docs/icon.svg',
] as const
type DocsPath = (typeof docsPaths)[number]

let loading: Promise<{ readonly routes: readonly DocsRoute[] }> | undefined

/**
 * The browsable reference: a page, its style, and the Scalar component with what starts it. The component is loaded on the first
 * request, and takes 6 MB from then on; the start of the server does not wait for it.
 */
export function docsPage(): Promise<{ readonly routes: readonly DocsRoute[] }> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** Answers a request for one of the `docsPaths`: with the file, or with 304 if the browser already has it. */
export async function docsResponse(
  path: DocsPath,
  requestHeaders: Readonly<Record<string, string | string[] | undefined>>,
): Promise<DocsResponse> {
  const { routes } = await docsPage()
  const route = routes.find((each) => each.path === path)
  if (!route) throw new Error(`the reference has no file at ${path}`)
  const known = String(requestHeaders['if-none-match'] ?? '')
  const tag = String(route.headers.etag).replace(/^W\//, '')
  if (known === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag)) {
    return { status: 304, headers: route.headers, body: Buffer.alloc(0) }
  }
  const headers = { ...route.headers, 'content-type': route.contentType }
  if (!route.gzipped || !acceptsGzip(requestHeaders)) return { status: 200, headers, body: route.body }
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: route.gzipped }
}

/**
 * Allows only files of this server, and no connection to any other: fonts, proxies and services of the component's makers
 * stay out of reach, even if its next version tries to use them. Inline styles are allowed, because the component writes its
 * own.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = (version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>Posthorn reference</title>
    <link rel="icon" href="docs/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="docs/reference.css?${version}">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same contract is at <a href="v1/openapi.json">v1/openapi.json</a>.</noscript>
    <div id="reference"></div>
    <script src="docs/reference.js?${version}"></script>
    <script src="docs/start.js?${version}"></script>
  </body>
</html>
`

// Everything that could lead away from this server is off; the content security policy forbids it as well.
// What it shows and tries out is the server as it was reached; the page may ask no other.
const start = `Scalar.createApiReference('#reference', {
  url: 'v1/openapi.json',
  servers: [{ url: new URL('.', location.href).href.replace(/\\/$/, ''), description: 'This server.' }],
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  defaultOpenAllTags: true,
  operationTitleSource: 'summary',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

/** The component's own variables, as the tokens of the console have them (`web/browser/tokens.css`). */
const style = `:root, .light-mode, .dark-mode {
  --scalar-font: var(--sans);
  --scalar-font-code: var(--mono);
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--muted);
  --scalar-color-3: var(--faint);
  --scalar-color-accent: var(--brass);
  --scalar-background-1: var(--surface);
  --scalar-background-2: var(--sunken);
  --scalar-background-3: var(--line);
  --scalar-background-accent: var(--brass-soft);
  --scalar-border-color: var(--line);
  --scalar-button-1: var(--ink);
  --scalar-button-1-hover: var(--ink-hover);
  --scalar-button-1-color: var(--on-ink);
  --scalar-color-green: var(--good);
  --scalar-color-blue: var(--busy);
  --scalar-color-orange: var(--attention);
  --scalar-color-red: var(--bad);
  --scalar-link-color: var(--text);
  --scalar-radius: var(--corner-small);
  --scalar-radius-lg: var(--corner);
  --scalar-radius-xl: var(--corner-large);
  --scalar-sidebar-background-1: var(--page);
  --scalar-sidebar-border-color: var(--line);
  --scalar-sidebar-color-1: var(--text);
  --scalar-sidebar-color-2: var(--muted);
  --scalar-sidebar-color-active: var(--text);
  --scalar-sidebar-item-active-background: var(--surface);
  --scalar-sidebar-item-hover-background: var(--sunken);
  --scalar-sidebar-search-background: var(--surface);
  --scalar-sidebar-search-border-color: var(--line);
  --scalar-sidebar-search-color: var(--muted);
}
.light-mode { color-scheme: light; }
.dark-mode { color-scheme: dark; }
body { margin: 0; }
/* Texts and their tables get the width: what stands beside them is small, or nothing. */
@media (min-width: 1000px) {
  #reference .introduction-section .section-column:first-child,
  #reference .tag-section-container > section:first-child .section-column:first-child { flex-grow: 1.6; }
}
#reference .section-column:empty { display: none; }
/* A heading and the choice beside it stand in two lines where there is no room for both. */
#reference div:has(> button > h2) { flex-wrap: wrap; }
#reference div:has(> button > h2) > button { flex: 1 0 auto; }
#reference .markdown table { table-layout: auto; }
/* Words stay in one piece, and so does what a row is about. */
#reference .markdown td { word-break: normal; overflow-wrap: break-word; }
#reference .markdown th, #reference .markdown td:first-child code { white-space: nowrap; }
#reference .markdown th, #reference .markdown td { padding: 0.35rem 0.6rem; }
`

async function load(): Promise<{ routes: readonly DocsRoute[] }> {
  const component = await inChild<DocsComponent>(new URL('./print-component.ts', import.meta.url))
  const starter = Buffer.from(start)
  const tokens = readFileSync(new URL('../../web/browser/tokens.css', import.meta.url), 'utf8')
  const styles = Buffer.from(`${tokens}\n${style}`)
  // The page requests its files by the digest of all of them, so browsers may cache them for a year.
  const html = Buffer.from(page(digestOf(component.body, starter, styles).slice(0, 16)))
  const javascript = 'text/javascript; charset=utf-8'
  return {
    routes: [
      route('/docs', 'text/html; charset=utf-8', html, {
        'cache-control': 'no-cache',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      }),
      { ...route('/docs/reference.js', javascript, component.body, forever), gzipped: component.gzipped },
      route('/docs/start.js', javascript, starter, forever),
      route('/docs/reference.css', 'text/css; charset=utf-8', styles, forever),
      route('/docs/icon.svg', 'image/svg+xml', Buffer.from(icon), { 'cache-control': 'max-age=86400' }),
    ],
  }
}

const forever = { 'cache-control': 'public, max-age=31536000, immutable' }

function route(
  path: DocsPath,
  contentType: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): DocsRoute {
  const all = {
    ...headers,
    // Weak, as the compressed body has the same tag.
    etag: `W/"${digestOf(body)}"`,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  }
  return { path, contentType, headers: all, body }
}

function digestOf(...bodies: readonly Buffer[]): string {
  const digest = createHash('sha256')
  for (const body of bodies) digest.update(body)
  return digest.digest('base64url')
}

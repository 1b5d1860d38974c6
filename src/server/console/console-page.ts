import type { Operation } from '../../contract/operation.ts'
import { eventTypes } from '../../contract/resources/event.ts'
import { entryOf } from './console-files.ts'

/**
 * Only files of this server, no script and no style in the page, and no text that becomes a script. The console draws only
 * through functions of the DOM that cannot execute anything.
 */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

interface PageOptions {
  readonly digest: string
  /** The paths of the scripts that every screen needs: browsers fetch them at once, not one after the other. */
  readonly preloaded: readonly string[]
  readonly operations: readonly Operation[]
  readonly version: string
}

/** The page of the console. All its links are relative, because a proxy may serve it under a path prefix. */
export function consolePage({ digest, preloaded, operations, version }: PageOptions): string {
  const folder = `console/files/${digest}`
  const preloads = preloaded.map((path) => `    <link rel="modulepreload" href="${folder}/${path}">`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <title>Posthorn</title>
    <link rel="icon" href="${folder}/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${folder}/style.css">
${preloads.join('\n')}
    <script type="application/json" id="contract">${contractData(operations, version)}</script>
    <script type="module" src="${folder}/${entryOf('console')}"></script>
  </head>
  <body>
    <div id="console"><noscript>The console needs JavaScript. Everything that it does, the API does, too.</noscript></div>
  </body>
</html>
`
}

/** Returns the part of the contract that the console needs. It is data: browsers do not execute it. */
function contractData(operations: readonly Operation[], version: string): string {
  const table = operations.map(({ id, method, path }) => [id, { method, path }])
  const data = { operations: Object.fromEntries(table), eventTypes, version }
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}

import type { FastifyRequest } from 'fastify'
import type { Handler } from '../contract/handler.ts'
import { type Access, missingCode, type Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { AccessControl } from './access/access-control.ts'
import { callbackPath } from './callback-route.ts'
import { consolePaths } from './console/console-route.ts'
import { linkPagePaths } from './console/link-page-route.ts'
import { docsPaths } from './docs/docs-page.ts'
import { mcpPath } from './mcp/mcp-route.ts'
import type { PathHints } from './paths/path-hints.ts'
import { noSuchPath, pathOf } from './read-call.ts'
import { sessionPath } from './session-route.ts'

/** The methods of everything that can be read. */
const reading = ['GET', 'HEAD'] as const

interface KnownPath {
  readonly pattern: RegExp
  readonly access: Access
  /** The operation of each method; none if it is a file for browsers, or a callback. */
  readonly methods: Map<string, Operation | undefined>
}

/**
 * Refuses requests that no route handles: unknown paths with 404, and other methods of known paths with 405. Only callers
 * who may know the path learn either, so that the server cannot be mapped without a key.
 */
export function otherPaths(
  handlers: readonly Handler[],
  accessControl: AccessControl,
  hints: PathHints,
): (request: FastifyRequest) => Promise<never> {
  const paths = knownPaths(handlers)
  return async (request) => {
    const path = pathOf(request.url)
    const found = paths.find(({ pattern }) => pattern.test(path))
    // A key need not have the role of the path to learn that the path exists.
    await accessControl.enter(request, found?.access ?? 'any')
    if (!found) throw noSuchPath(hints, request)
    const operation = found.methods.get(request.method)
    // The method is right, so it is the parameter that cannot be read and names nothing that could exist.
    if (operation) throw new Problem(missingCode(operation))
    const allow = [...found.methods.keys()].join(', ')
    const elsewhere = hints.withMethod(request.method, path)
    const detail = [`The path supports ${allow}.`, elsewhere].filter(Boolean).join(' ')
    throw new Problem('method_not_allowed', { detail, headers: { allow } })
  }
}

function knownPaths(handlers: readonly Handler[]): KnownPath[] {
  const paths = new Map<string, KnownPath>()
  for (const { operation } of handlers) {
    const { path, method, access } = operation
    const entry = paths.get(path) ?? { pattern: patternOf(path), access, methods: new Map() }
    for (const each of method === 'GET' ? reading : [method]) entry.methods.set(each, operation)
    paths.set(path, entry)
  }
  const addOpen = (path: string, ...others: string[]) => {
    const methods = new Map([...reading, ...others].map((method) => [method, undefined]))
    paths.set(path, { pattern: patternOf(path), access: 'open', methods })
  }
  for (const path of ['/', ...docsPaths, '/docs/', ...consolePaths, ...linkPagePaths]) addOpen(path)
  addOpen(callbackPath, 'POST')
  addOpen(sessionPath, 'POST', 'DELETE')
  paths.set(mcpPath, { pattern: patternOf(mcpPath), access: 'read', methods: new Map([['POST', undefined]]) })
  // Literal segments of a path take precedence over parameters, and both over the rest of a path.
  const parameters = (path: string): number => path.split(/[{*]/).length
  return [...paths].sort(([a], [b]) => parameters(a) - parameters(b)).map(([, known]) => known)
}

function patternOf(path: string): RegExp {
  return new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\}/g, '[^/]+')
      .replace('*', '.+')}$`,
  )
}

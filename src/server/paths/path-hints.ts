import type { Operation } from '../../contract/operation.ts'
import { nearest } from '../../runtime/text/suggest.ts'
import { inOtherGateway, nearOtherGateway } from './other-gateways.ts'

/** Characters of the longest path for which hints are looked for; a longer one is no typing mistake. */
const longestPath = 200

/** Paths that a hint names at most. */
const maxNamed = 12

/** Tells callers who asked for what is not there which operation they may have meant, by the paths of the contract. */
export class PathHints {
  /** The methods of each path. */
  readonly #paths: ReadonlyMap<string, readonly string[]>

  constructor(operations: readonly Operation[]) {
    const known = Map.groupBy(operations, ({ path }) => path)
    this.#paths = new Map([...known].map(([path, own]) => [path, own.map(({ method }) => method)]))
  }

  /** A sentence about an unknown path; undefined if nothing is near. */
  near(method: string, path: string): string | undefined {
    if (path.length > longestPath) return undefined
    const there = inOtherGateway(method, path)
    if (there !== undefined) return there
    // Many other APIs are below `/api`.
    const asked = `/${path.split('/').filter(Boolean).join('/')}`.replace(/^\/api(?=\/)/, '')
    const meant = [...this.#meant(asked, method), ...this.#meant(`/v1${asked}`, method)][0]
    if (meant !== undefined)
      return `Did you mean \`${this.#supports(meant, method) ? `${method} ` : ''}${meant}\`?`
    const below = [...this.#paths.keys()].filter((known) => known.startsWith(`${asked}/`))
    const next = new Set(below.map((known) => known.split('/', asked.split('/').length + 1).join('/')))
    if (next.size > 0 && asked !== '/') return `Below it are ${listed([...next])}.`
    return nearOtherGateway(path)
  }

  /** A sentence about where a method is that a known path does not support; undefined if that is nowhere near. */
  withMethod(method: string, path: string): string | undefined {
    if (path.length > longestPath) return undefined
    const near = this.#meant(path, method)
    const [meant] = near
    if (meant !== undefined && this.#supports(meant, method)) return `Did you mean \`${method} ${meant}\`?`
    const below = [...this.#paths.keys()].filter(
      (known) =>
        known.startsWith(`${meant}/`) &&
        known.split('/').length === path.split('/').length + 1 &&
        this.#supports(known, method),
    )
    return below.length > 0 ? `\`${method}\` is for ${listed(below)}.` : undefined
  }

  /** The methods of a path that is spelled out in the contract, without parameters; undefined if it is none. */
  methodsOf(path: string): readonly string[] | undefined {
    return path.includes('{') ? undefined : this.#paths.get(path)
  }

  #supports(path: string, method: string): boolean {
    return this.#paths.get(path)?.includes(method) ?? false
  }

  /**
   * Returns the known paths that equal or resemble the given one, the likeliest first: those that support the method, then
   * those with fewer segments that differ. Any segment fits a parameter.
   */
  #meant(asked: string, method: string): string[] {
    const given = asked.split('/')
    const likely = [...this.#paths.keys()].flatMap((path) => {
      const parts = path.split('/')
      if (parts.length !== given.length) return []
      const other = parts.filter((part, index) => part !== given[index])
      const isNear = parts.every((part, index) => part.startsWith('{') || isLike(given[index] ?? '', part))
      return isNear ? [{ path, rank: (this.#supports(path, method) ? 0 : 100) + other.length }] : []
    })
    return likely.toSorted((a, b) => a.rank - b.rank).map(({ path }) => path)
  }
}

function isLike(given: string, part: string): boolean {
  return given === part || nearest(given, [part]) !== undefined
}

function listed(paths: readonly string[]): string {
  return paths
    .slice(0, maxNamed)
    .map((path) => `\`${path}\``)
    .join(', ')
}

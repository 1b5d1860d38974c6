import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { icon } from './icon.ts'

const gzip = promisify(gzipWithCallback)
const run = promisify(execFile)

/** A file of the console, ready to be served. */
export interface ConsoleFile {
  readonly contentType: string
  readonly body: Buffer
  /** The same for browsers that accept gzip, as all do. */
  readonly gzipped: Buffer
}

export interface ConsoleFiles {
  /** A digest of all of them: the folder that the page asks for them in, so that browsers can keep them for good. */
  readonly digest: string
  /** By their paths in that folder. */
  readonly files: ReadonlyMap<string, ConsoleFile>
  /** The scripts that every screen needs. */
  readonly preloaded: readonly string[]
}

const javascript = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'

/** The script that the page begins with. */
export const entry = 'main.ts'

/** The libraries of the console, by the names that its modules import them under. */
const libraries: Readonly<Record<string, string>> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  uplot: 'uplot/dist/uPlot.esm.js',
}

/** What scripts print in a child process at most, in bytes. */
const mostOutput = 16 * 1024 * 1024
/** How long it may take, in milliseconds: then the next request tries again. */
const mostTime = 60_000

/** What a page in the browser is made of. */
interface Pages {
  /** Its modules, and its `style.css`. */
  readonly folder: URL
  readonly libraries: readonly string[]
  /** Styles of libraries. */
  readonly styles: readonly string[]
}

/** Reads the console, under 10 MB of memory. It takes half a second, most of it in a child process. */
export function loadConsoleFiles(): Promise<ConsoleFiles> {
  return loadPages({
    folder: new URL('../../console/', import.meta.url),
    libraries: Object.keys(libraries),
    styles: ['uplot/dist/uPlot.min.css'],
  })
}

/** Reads the page on which customers link their accounts. */
export function loadLinkPageFiles(): Promise<ConsoleFiles> {
  const folder = new URL('../../link-page/', import.meta.url)
  return loadPages({ folder, libraries: ['preact'], styles: [] })
}

/** Reads modules, with their types removed, a style, and libraries. */
async function loadPages({ folder, libraries: used, styles }: Pages): Promise<ConsoleFiles> {
  const strip = fileURLToPath(new URL('./strip-types.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [strip, fileURLToPath(folder)], {
    maxBuffer: mostOutput,
    timeout: mostTime,
  })
  const sources = new Map<string, { contentType: string; text: string }>()
  for (const [path, script] of Object.entries(JSON.parse(stdout) as Record<string, string>))
    sources.set(path, { contentType: javascript, text: withLibraries(script, depthOf(path)) })
  for (const name of used) {
    const text = await readFile(fileURLToPath(import.meta.resolve(libraries[name] ?? name)), 'utf8')
    const path = libraryPath(name)
    sources.set(path, { contentType: javascript, text: withLibraries(withoutMap(text), depthOf(path)) })
  }
  const foreign = styles.map((name) => readFile(fileURLToPath(import.meta.resolve(name)), 'utf8'))
  const own = readFile(new URL('style.css', folder), 'utf8')
  sources.set('style.css', {
    contentType: css,
    text: (await Promise.all([...foreign, own])).join('\n'),
  })
  sources.set('icon.svg', { contentType: 'image/svg+xml', text: icon })
  const preloaded = importedBy(entry, (path) => sources.get(path)?.text ?? '')
  const digest = createHash('sha256')
  for (const [path, { text }] of sources) digest.update(path).update('\0').update(text).update('\0')
  const files = await Promise.all(
    [...sources].map(async ([path, { contentType, text }]) => {
      const body = kept(Buffer.from(text))
      const gzipped = kept(await gzip(body, { level: 9 }))
      return [path, { contentType, body, gzipped }] as const
    }),
  )
  return { digest: digest.digest('base64url').slice(0, 16), files: new Map(files), preloaded }
}

/** The same bytes in memory of their own: small buffers are parts of larger ones, which would stay as long as they do. */
function kept(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/**
 * Browsers know no packages, so the names of the libraries are replaced by where they are. An import map would do the same, but
 * it would stand in the page, as a script that the content security policy had to allow.
 */
function withLibraries(script: string, depth: number): string {
  return script.replaceAll(/(\bfrom\s*)(["'])([\w/.-]+)\2/g, (all, from: string, _, name: string) =>
    name in libraries ? `${from}'${'../'.repeat(depth) || './'}${libraryPath(name)}'` : all,
  )
}

/** A script and all that it imports, directly or by others; what is loaded only when it is needed is not among them. */
function importedBy(path: string, textOf: (path: string) => string, known = new Set<string>()): string[] {
  if (known.has(path)) return []
  known.add(path)
  for (const [, specifier = ''] of textOf(path).matchAll(/\bfrom\s*'(\.[^']+)'/g))
    importedBy(posix.join(posix.dirname(path), specifier), textOf, known)
  return [...known]
}

function libraryPath(name: string): string {
  return `libraries/${name.replaceAll('/', '-')}.js`
}

function depthOf(path: string): number {
  return path.split('/').length - 1
}

/** Without the hint where its source map is, which nobody serves. */
function withoutMap(script: string): string {
  return script.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

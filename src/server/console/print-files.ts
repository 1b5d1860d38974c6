import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serialize } from 'node:v8'
import { gzip as gzipWithCallback } from 'node:zlib'
import { locales } from '../../locales/index.ts'
import type { NetworkWords } from '../../locales/network-words.ts'
import { type ConsoleFiles, entryOf, type PageName } from './console-files.ts'
import { icon } from './icon.ts'

/*
 * Run as a child process: prints the `ConsoleFiles` of the page whose name it is given. What removes types takes some 50 MB and
 * gives none back, and the texts of all files are some megabytes that V8 would collect late.
 */

// Removing types is stable; only this way to ask for it is not yet, and says so at each start.
process.removeAllListeners('warning')

const gzip = promisify(gzipWithCallback)

const javascript = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'
const json = 'application/json; charset=utf-8'

/** The libraries of the console, by the names that its modules import them under. */
const libraries: Readonly<Record<string, string>> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  uplot: 'uplot/dist/uPlot.esm.js',
}

const source = new URL('../../', import.meta.url)

/** The parts of a page in the browser, beside the modules of its folder. */
interface Page {
  readonly libraries: readonly string[]
  /** Styles of libraries. */
  readonly styles: readonly string[]
  /** Its own styles, in the order in which they are read: of two rules as exact, the later one holds. */
  readonly ownStyles: readonly string[]
}

const consoleStyles = [
  ...['text', 'frame', 'alone', 'buttons', 'forms', 'lists', 'overview', 'linking', 'messages'],
  ...[
    'conversations',
    'dialogs',
    'filters',
    'webhooks',
    'charts',
    'reach',
    'tables',
    'rail',
    'phone',
    'message-rows',
  ],
  ...['operator', 'instances'],
]

const pages: Readonly<Record<PageName, Page>> = {
  console: {
    libraries: Object.keys(libraries),
    styles: ['uplot/dist/uPlot.min.css'],
    ownStyles: consoleStyles.map((name) => `web/console/style/${name}.css`),
  },
  'link-page': {
    libraries: ['preact'],
    styles: [],
    ownStyles: ['web/link-page/style.css'],
  },
}

/** The screen that shows every part, for those who work on them: it is served by the tests alone. */
const forDevelopment = 'web/console/screens/parts/'

/** Modules of every page beside its own folder. */
const everyPage = ['web/browser/', 'locales/languages.ts']

process.stdout.write(serialize(await filesOf(process.argv[2] as PageName)))

/** Modules without their types and comments, words, a style, and libraries, by their paths from `src`. */
async function filesOf(page: PageName): Promise<ConsoleFiles> {
  const { libraries: used, styles, ownStyles } = pages[page]
  const folder = `web/${page}/`
  const sources = new Map<string, { contentType: string; text: string }>()
  const addScript = (path: string, script: string) =>
    sources.set(path, { contentType: javascript, text: withLibraries(script, depthOf(path)) })
  for (const [path, module] of [folder, ...everyPage].flatMap(modulesOf))
    addScript(path, withoutComments(stripTypeScriptTypes(module, { mode: 'strip' })))
  for (const name of used) addScript(libraryPath(name), withoutMap(fileOf(libraries[name] ?? name)))
  const own = ['web/browser/tokens.css', 'web/browser/style.css', ...ownStyles].map((path) =>
    withoutComments(readFileSync(new URL(path, source), 'utf8')),
  )
  sources.set('style.css', { contentType: css, text: [...styles.map(fileOf), ...own].join('\n') })
  sources.set('icon.svg', { contentType: 'image/svg+xml', text: icon })
  for (const [tag, words] of await wordsOf(page))
    sources.set(`words/${tag}.json`, { contentType: json, text: JSON.stringify(words) })
  const preloaded = importedBy(entryOf(page), (path) => sources.get(path)?.text ?? '')
  const digest = createHash('sha256')
  for (const [path, { text }] of sources) digest.update(path).update('\0').update(text).update('\0')
  const files = await Promise.all(
    [...sources].map(async ([path, { contentType, text }]) => {
      const body = Buffer.from(text)
      return [path, { contentType, body, gzipped: await gzip(body, { level: 9 }) }] as const
    }),
  )
  return { digest: digest.digest('base64url').slice(0, 16), files: new Map(files), preloaded }
}

/** The modules of a folder, or the one module that is named, by their paths. */
function modulesOf(path: string): (readonly [string, string])[] {
  const names = path.endsWith('/')
    ? readdirSync(new URL(path, source), { recursive: true, encoding: 'utf8' })
    : ['']
  const paths = names.map((name) => path + name.split(sep).join('/'))
  const modules = paths.filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith(forDevelopment),
  )
  return modules.map((name) => [name, readFileSync(new URL(name, source), 'utf8')])
}

/** The words of a page in each language, with those of the networks: each has them in `words/TAG.ts` of its folder. */
async function wordsOf(page: PageName): Promise<(readonly [tag: string, words: object])[]> {
  const folder = new URL('networks/', source)
  const modules = Object.entries(locales).map(async ([tag, { [page]: own }]) => {
    const networks: Record<string, unknown> = {}
    for (const network of readdirSync(folder)) {
      const module = new URL(`${network}/words/${tag}${extname(import.meta.filename)}`, folder)
      if (!existsSync(module)) continue
      const { words } = (await import(module.href)) as { readonly words: NetworkWords }
      // The console leads through the app of a network, too.
      const { 'link-page': guide } = words
      if (page === 'console') networks[network] = { ...words.console, ...(guide && { 'link-page': guide }) }
      else if (words[page] !== undefined) networks[network] = words[page]
    }
    return [tag, { ...own, networks }] as const
  })
  return Promise.all(modules)
}

/** A file of a package. */
function fileOf(name: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8')
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

/**
 * Removes the comments that stand on lines of their own, a fifth of what a browser would load. The lines stay, so that an error
 * names the line of the source.
 */
function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*(\/\*[\s\S]*?\*\/|\/\/.*)[ \t]*$/gm, (comment) =>
    comment.replaceAll(/[^\n]/g, ''),
  )
}

/** Removes the comment that points to the source map, which is not served. */
function withoutMap(script: string): string {
  return script.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { navigation, unplaced } from './navigation.ts'

/** Links and pictures of Markdown, but for those in code. */
const linkPattern = /(```[\s\S]*?\n```|`[^`\n]*`)|\]\(([^()\s]+)\)/g

/** The Markdown files of a folder and of those in it, from the root of the repository. */
function markdownIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
}

/** The pages of the site that stand in the repository, from its root: those of the navigation, of `docs`, and all that they link to. */
export function mirrored(root: string): string[] {
  const pages = new Set<string>()
  const add = (path: string) => {
    if (pages.has(path) || !existsSync(join(root, path))) return
    pages.add(path)
    for (const [, code, link = ''] of readFileSync(join(root, path), 'utf8').matchAll(linkPattern)) {
      const [file = ''] = link.split('#')
      if (code === undefined && file.endsWith('.md') && !isElsewhere(link)) add(namedBy(path, file))
    }
  }
  for (const path of [...Object.values(navigation).flat(), ...markdownIn(root, 'docs')]) add(path)
  return [...pages].sort()
}

const isElsewhere = (link: string) => /^(https?:|mailto:|#)/.test(link)

/** The path of a file that a page links to, from the root of the repository. */
const namedBy = (page: string, link: string) =>
  posix.normalize(posix.join(posix.dirname(page), link)).replace(/\/$/, '')

/** The page of the site for a page of the repository. */
export const placeOf = (path: string) => (path === 'README.md' ? 'index.md' : path)

/** The first heading of a page. */
export function titleOf(text: string, path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(text) ?? []
  return title.replaceAll('`', '')
}

/** Copies the pages with their pictures, and the files that they name, each as a page. Throws at a link to nothing. */
export function mirror(root: string, target: string): void {
  const pages = new Set(mirrored(root))
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8')
    write(
      target,
      placeOf(page),
      withLinks(text, (link) => linkIn(page, link, { root, target, pages })),
    )
  }
}

interface Place {
  readonly root: string
  readonly target: string
  readonly pages: ReadonlySet<string>
}

function withLinks(text: string, to: (link: string) => string): string {
  return text.replaceAll(linkPattern, (whole, code, link) => (code ? whole : `](${to(link)})`))
}

/** The link on the site for one in the repository. */
function linkIn(page: string, link: string, { root, target, pages }: Place): string {
  if (isElsewhere(link)) return link
  const [path = '', anchor] = link.split('#')
  const named = namedBy(page, path)
  if (!existsSync(join(root, named))) throw new Error(`${page} links to ${link}, which is not there`)
  const index = `${named}/README.md`
  const known = pages.has(named) ? named : pages.has(index) ? index : undefined
  if (known === undefined && extname(named) === '.png') {
    mkdirSync(dirname(join(target, named)), { recursive: true })
    cpSync(join(root, named), join(target, named))
    return link.startsWith('.') ? link : `./${link}`
  }
  const there = known === undefined ? fileAsPage(root, target, named) : placeOf(known)
  return `/${there}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Writes a page that shows a file, or lists a folder with its files. */
function fileAsPage(root: string, target: string, path: string): string {
  const place = `files/${path}.md`
  const isFolder = statSync(join(root, path)).isDirectory()
  const names = isFolder
    ? readdirSync(join(root, path)).filter((name) => !/^\.|^(dist|node_modules)$/.test(name))
    : []
  const text = isFolder
    ? names.map((name) => `- [${name}](/${fileAsPage(root, target, `${path}/${name}`)})`).join('\n')
    : `${'`'.repeat(4)}${languageOf(path)}\n${readFileSync(join(root, path), 'utf8')}\n${'`'.repeat(4)}`
  // Their words are not for those who search.
  write(target, place, `---\nsearch: false\n---\n\n# ${path}\n\n${text}\n`)
  return place
}

const languages: Readonly<Record<string, string>> = {
  '.yaml': 'yaml',
  '.py': 'python',
  '.ts': 'ts',
  '.sh': 'sh',
  '.sql': 'sql',
  '.conf': 'nginx',
  '.service': 'ini',
}

const languageOf = (path: string) => languages[extname(path)] ?? ''

/** Writes a page below the folder of pages. */
export function write(target: string, place: string, text: string): void {
  const file = join(target, place)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The navigation beside each page. */
export function sidebar(root: string): object[] {
  const pages = mirrored(root)
  const entries = (paths: readonly string[]) =>
    paths
      .filter((path) => pages.includes(path))
      .map((path) => ({
        text: titleOf(readFileSync(join(root, path), 'utf8'), path),
        link: `/${placeOf(path).replace(/(index)?\.md$/, '')}`,
      }))
  const more = unplaced(pages)
  return [
    ...Object.entries(navigation).map(([text, paths]) => ({ text, collapsed: false, items: entries(paths) })),
    ...(more.length > 0 ? [{ text: 'More', collapsed: false, items: entries(more) }] : []),
  ]
}

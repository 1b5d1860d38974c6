import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, posix } from 'node:path'
import { after, before, test } from 'node:test'
import { mirrored } from '../../site/mirrored-pages.ts'
import { unplaced } from '../../site/navigation.ts'
import { contract } from '../../site/reference/reference.ts'
import { slugOf } from '../../site/slug.ts'
import { writePages } from '../../site/write-pages.ts'
import { operations } from '../../src/contract/operations.ts'
import { problemCodes } from '../../src/contract/problems.ts'
import { eventTypes } from '../../src/contract/resources/event.ts'
import { freshFolder } from '../kit/posthorn.ts'

import { root } from '../kit/source-tree.ts'

/* The pages of the documentation site, before the generator makes HTML of them. */

const folder = freshFolder()
const read = (place: string) => readFileSync(join(folder, place), 'utf8')

before(() => writePages(folder))
after(() => rmSync(folder, { recursive: true, force: true }))

const pages = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))

const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '')

/** The anchors of a page: a heading that is repeated gets a number. */
function anchorsOf(place: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(read(place)).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

test('each link leads to a page, and to a heading that it has', () => {
  const dead: string[] = []
  let links = 0
  for (const page of pages()) {
    for (const [, link = ''] of withoutCode(read(page)).matchAll(/(?<!`)\]\(([^()\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(link)) continue
      links++
      const [path = '', anchor] = link.split('#')
      const there =
        path === '' ? page : path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path)
      const isFile = existsSync(join(folder, there)) || existsSync(join(folder, 'public', there))
      if (!isFile || (anchor !== undefined && !anchorsOf(there).has(anchor))) dead.push(`${page}: ${link}`)
    }
  }
  assert.deepEqual(dead, [])
  assert.ok(links > 400, `${links}`)
})

test('the navigation leads to each page of docs, and to nothing else', (t) => {
  const sidebar = JSON.parse(read('sidebar.json')) as { items: { link: string }[] }[]
  const linked = sidebar.flatMap(({ items }) => items.map(({ link }) => link))
  assert.equal(new Set(linked).size, linked.length)
  for (const link of linked) {
    const place = link.endsWith('/') ? `${link}index.md` : `${link}.md`
    assert.ok(existsSync(join(folder, place)), link)
  }
  const all = mirrored(root)
  for (const page of all.filter((path) => /^docs\/[^/]+\.md$|^docs\/migration\//.test(path)))
    assert.ok(linked.includes(`/${page.replace(/\.md$/, '')}`), page)
  // A page without a place stands under “More”.
  if (unplaced(all).length > 0) t.diagnostic(`give them a place in site/navigation.ts: ${unplaced(all)}`)
})

test('the reference has every operation, problem, event and type of the contract', async () => {
  const reference = pages()
    .filter((path) => path.startsWith('reference/'))
    .map(read)
    .join('\n')
  for (const { method, path, id } of operations)
    assert.ok(reference.includes(`\`${method} ${path}\`** (\`${id}\`)`), `${method} ${path}`)
  for (const code of problemCodes) assert.ok(reference.includes(`\`${code}\``), code)
  for (const type of eventTypes) assert.ok(reference.includes(`\n## ${type}\n`), type)
  for (const name of Object.keys((await contract()).components.schemas))
    assert.ok(reference.includes(`\n## ${name}\n`), name)
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../kit/source-tree.ts'

/** The pages that tell readers what to type, from the root of the repository. */
export const pages: readonly string[] = globSync(
  ['README.md', 'docs/*.md', 'docs/migration/*.md', 'clients/*/README.md', 'integrations/*/README.md'],
  { cwd: root },
).sort()

/** A block of commands, as a page shows it. */
export interface Block {
  readonly page: string
  /** The heading above it, without its signs. */
  readonly heading: string
  readonly text: string
}

const pattern = /^#{1,4} ([^\n]+)$|^ *```(\w*)\n(.*?)^ *```$/gms

const languages = ['sh', 'bash', 'console', 'shell', '']

const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** Every block for a shell. One without a language counts too, so that none is hidden by a slip. */
export const blocks: readonly Block[] = pages.flatMap((page) => {
  let heading = ''
  return [...textOf(page).matchAll(pattern)].flatMap(([, title, language = '', text]) => {
    heading = title ?? heading
    return text !== undefined && languages.includes(language) ? [{ page, heading, text }] : []
  })
})

/** Code within sentences, by the page that has it. */
export const inlineCode: readonly { readonly page: string; readonly code: string }[] = pages.flatMap((page) =>
  [...textOf(page).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code = '']) => ({ page, code })),
)

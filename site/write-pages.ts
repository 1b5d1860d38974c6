import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mirror, sidebar, write } from './mirrored-pages.ts'
import { contract, referencePages, referenceSidebar } from './reference/reference.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Writes the pages of the site into this folder: the texts of the repository, and the contract. Throws at a dead link. */
export async function writePages(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  mirror(root, target)
  const document = await contract()
  const reference = referencePages(document)
  for (const { place, text } of reference) write(target, place, text)
  write(target, 'public/openapi.json', JSON.stringify(document))
  write(target, 'sidebar.json', JSON.stringify([...sidebar(root), ...referenceSidebar(reference)]))
}

if (import.meta.main) {
  await writePages(join(root, 'site/pages'))
  // Drivers keep timers of their own.
  process.exit(0)
}

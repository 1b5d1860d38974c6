// `node scripts/release/check-tag.ts v0.2.0`: refuses a tag that is not that of the version in package.json, or that the changelog has no
// section of, and prints that section: the text of the release.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const root = new URL('../../', import.meta.url)
const semantic = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

/** Returns the section of a version in the changelog, without its heading; throws if the tag does not fit. */
export function notesOf(
  tag: string,
  { version, changelog }: { readonly version: string; readonly changelog: string },
): string {
  if (!semantic.test(version)) throw new Error(`${version} in package.json is no semantic version`)
  if (tag !== `v${version}`)
    throw new Error(`the tag ${tag} does not fit the version ${version} of package.json`)
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => /^\[?([^\]\s]+)/.exec(text)?.[1] === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`)
  const [heading = '', ...lines] = section.split('\n')
  if (!/\d{4}-\d{2}-\d{2}$/.test(heading.trim()))
    throw new Error(`the section ${version} of CHANGELOG.md has no date`)
  const notes = lines.join('\n').trim()
  if (!/^### Upgrade notes$/m.test(notes))
    throw new Error(
      `the section ${version} of CHANGELOG.md has no "### Upgrade notes"; write "None." below it if there are none`,
    )
  return notes
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const { version } = JSON.parse(textOf('package.json'))
  try {
    console.log(notesOf(process.argv[2] ?? '', { version, changelog: textOf('CHANGELOG.md') }))
  } catch (error) {
    console.error(`${(error as Error).message}.`)
    process.exitCode = 1
  }
}

import { readFileSync } from 'node:fs'

/**
 * Says that a package is missing which an installation may leave out, and the command that brings it; undefined if it is there.
 * `user` is what needs it.
 */
export function whyMissing(name: string, user: string): string | undefined {
  try {
    import.meta.resolve(name)
    return undefined
  } catch {
    return `${user} needs the package ${name}, which is not installed; run \`${installing(name)}\``
  }
}

/** The command that brings a package that was left out: a clone has a lockfile, and the npm package that is made of it has not. */
function installing(name: string): string {
  const description = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  if (description.private === true) return 'npm ci --include=optional'
  return `npm install ${name}@${description.optionalDependencies[name]}`
}

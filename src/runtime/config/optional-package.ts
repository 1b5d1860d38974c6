import { readFileSync } from 'node:fs'

/**
 * Says that packages are missing which an installation may leave out, and the command that brings them; undefined if they are there.
 * `user` is what needs them.
 */
export function whyMissing(names: string | readonly string[], user: string): string | undefined {
  const missing = [names].flat().filter((name) => !isInstalled(name))
  if (missing.length === 0) return undefined
  const which =
    missing.length === 1
      ? `the package ${missing[0]}, which is`
      : `the packages ${missing.join(' and ')}, which are`
  return `${user} needs ${which} not installed; run \`${installing(missing)}\``
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** The command that brings packages that were left out: a clone has a lockfile, and the npm package that is made of it has not. */
function installing(names: readonly string[]): string {
  const description = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  if (description.private === true) return 'npm ci --include=optional'
  return ['npm install', ...names.map((name) => `${name}@${description.optionalDependencies[name]}`)].join(
    ' ',
  )
}

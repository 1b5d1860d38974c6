// In plain JavaScript that every Node understands, so that an older one gets far enough to say what is missing.
import { readFileSync } from 'node:fs'

/** The oldest Node in which neither the built-in SQLite nor the stripping of types is an experiment. */
export const oldestNode = '24.15'

/** Returns true if this version, such as `22.4.1`, is too old for Posthorn. */
export function isTooOld(version) {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** Ends the process, with a sentence, under a Node that cannot run the code behind it. `next` says what to do in a clone. */
export function refuseOldNode(next) {
  if (!isTooOld(process.versions.node)) return
  const { private: isClone } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const advice = isClone
    ? next
    : `install Node ${oldestNode} or later, from https://nodejs.org or your system's packages`
  process.stderr.write(
    `Posthorn cannot run: this is Node ${process.versions.node}, which is too old; ${advice}.\n`,
  )
  process.exit(1)
}

// In plain JavaScript that every Node understands, so that an older one gets far enough to say what is missing.

/** The oldest Node in which neither the built-in SQLite nor the stripping of types is an experiment. */
export const oldestNode = '24.15'

/** Returns true if this version, such as `22.4.1`, is too old for Posthorn. */
export function isTooOld(version) {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** Ends the process, with a sentence, under a Node that cannot run the TypeScript behind it. `next` says what to do. */
export function refuseOldNode(next) {
  if (!isTooOld(process.versions.node)) return
  process.stderr.write(
    `Posthorn cannot run: this is Node ${process.versions.node}, which is too old; ${next}.\n`,
  )
  process.exit(1)
}

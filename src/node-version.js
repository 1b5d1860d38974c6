// In plain JavaScript that every Node understands, so that an older one gets far enough to say what is missing.

/** Ends the process, with a sentence, under a Node that cannot run the TypeScript behind it. `next` says what to do. */
export function refuseOldNode(next) {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  process.stderr.write(
    `Posthorn cannot run: this is Node ${process.versions.node}, which is too old; ${next}.\n`,
  )
  process.exit(1)
}

#!/usr/bin/env node
// In plain JavaScript for the same reason as main.js, and so that an older Node gets far enough to say what is missing.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `posthorn: this is Node ${process.versions.node}, which is too old; run \`npm ci\` in the folder of Posthorn, which brings its own, and call \`npx posthorn\` there.\n`,
  )
  process.exit(1)
}
const { keepCompiled } = await import('../compile-cache.js')
keepCompiled()
const { runCommandLine } = await import('./command-line.ts')
await runCommandLine(process.argv.slice(2))

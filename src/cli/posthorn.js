#!/usr/bin/env node
// In plain JavaScript for the same reason as main.js.
import { refuseOldNode } from '../node-version.js'

refuseOldNode('run `npm ci` in the folder of Posthorn to fetch a newer one, and call `npx posthorn` there')
const { keepCompiled } = await import('../compile-cache.js')
keepCompiled()
if (process.argv[2] === 'serve') {
  const { boundGarbage } = await import('../garbage.js')
  boundGarbage()
}
const { runCommandLine } = await import('./command-line.ts')
await runCommandLine(process.argv.slice(2))

import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, sep } from 'node:path'

/*
 * Run as a child process: prints the modules of the folder that it is given as JSON, `{path: script}`, with their types
 * removed. What removes them takes some 50 MB and gives none back, so it does that in a process which ends.
 */

// Removing types is stable; only this way to ask for it is not yet, and says so at each start.
process.removeAllListeners('warning')

const folder = process.argv[2] as string
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const modules = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
const scripts = modules.map((name) => {
  const source = readFileSync(join(folder, name), 'utf8')
  return [name.split(sep).join('/'), stripTypeScriptTypes(source, { mode: 'strip' })]
})
process.stdout.write(JSON.stringify(Object.fromEntries(scripts)))

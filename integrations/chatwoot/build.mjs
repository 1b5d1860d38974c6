// `node build.mjs [FOLDER]`: writes the JavaScript of the bridge, and of the client of Posthorn that it uses.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const project = import.meta.dirname
const folder = process.argv[2] ?? join(project, 'dist')
const tsc = join(project, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')
execFileSync(process.execPath, [tsc, '-p', project, '--outDir', folder], { stdio: 'inherit' })

// `node build.mjs [FOLDER]`: writes the package's JavaScript, without comments, and its declarations, with them.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const project = import.meta.dirname
const folder = process.argv[2] ?? join(project, 'dist')
const tsc = join(project, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')
const compile = (...options) =>
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', folder, ...options], { stdio: 'inherit' })

compile('--declaration', 'false', '--removeComments')
compile('--emitDeclarationOnly')

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshFolder } from '../../kit/posthorn.ts'
import { root } from '../../kit/source-tree.ts'

const run = promisify(execFile)

/** The folder of the client in the repository. */
export const clientFolder = join(root, 'clients/javascript')

/** Builds the package as it is published, and returns a folder in which programs can import it by its name. */
export async function installBuiltClient(): Promise<{ folder: string; dist: string }> {
  const folder = freshFolder()
  const installed = join(folder, 'node_modules/@posthorn/client')
  mkdirSync(installed, { recursive: true })
  const dist = join(installed, 'dist')
  await run(process.execPath, [join(clientFolder, 'build.mjs'), dist])
  for (const name of ['package.json', 'README.md']) cpSync(join(clientFolder, name), join(installed, name))
  return { folder, dist }
}

/** The Node.js of this run, and an older one if the machine has it: the oldest that the client supports is 20. */
export async function nodes(): Promise<{ path: string; version: string }[]> {
  const candidates = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((path) =>
    existsSync(path),
  )
  const found = await Promise.all(
    candidates.map(async (path) => ({ path, version: (await run(path, ['--version'])).stdout.trim() })),
  )
  const usable = found.filter(({ version }) => Number(/^v(\d+)/.exec(version)?.[1]) >= 20)
  return [...new Map(usable.map((node) => [node.version, node])).values()]
}

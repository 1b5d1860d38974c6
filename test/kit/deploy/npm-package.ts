import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endWithUs } from '../processes/end-with-us.ts'
import { startNpmRegistry } from './npm-registry.ts'

const run = promisify(execFile)
const root = new URL('../../..', import.meta.url).pathname

/**
 * Tells why npm cannot install anything here; false if it can. `POSTHORN_TEST_REQUIRE=generators`, which npm installs too, turns the reason into
 * a failure.
 */
export async function whyNoRegistry(): Promise<string | false> {
  try {
    await run('npm', ['view', 'fastify', 'version'], { timeout: 60_000 })
    return false
  } catch (error) {
    if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('generators')) throw error
    return 'npm reaches no registry'
  }
}

/** The files that `npm run pack` writes. */
export interface Packed {
  readonly tarball: string
  /** The bill of materials. */
  readonly bill: string
}

/** Packs the clone into a folder. */
export async function pack(folder: string): Promise<Packed> {
  await run(process.execPath, [join(root, 'scripts/pack.mjs'), folder])
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [tarball, bill] = ['tgz', 'cdx.json'].map((ending) => join(folder, `${name}-${version}.${ending}`))
  return { tarball: tarball as string, bill: bill as string }
}

/** Reads a file of the package. */
export async function readPacked(tarball: string, path: string): Promise<string> {
  const { stdout } = await run('tar', ['-xzOf', tarball, `package/${path}`], { maxBuffer: 2 ** 26 })
  return stdout
}

/** Lists the files of the package. */
export async function listPacked(tarball: string): Promise<readonly string[]> {
  const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: 2 ** 26 })
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
}

/** A machine on which the package was never installed, and whose npm finds it in a registry on this one. */
export interface NewMachine {
  /** The variables of its processes: no script of any package is run. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs a command of npm or npx in a folder; resolves when it has ended. */
  run(folder: string, words: readonly string[], more?: Readonly<Record<string, string>>): Promise<Ran>
  stop(): Promise<void>
}

/** The variables of this process, without the settings of the npm that may have started it, and without ours. */
function ofThisMachine(): Record<string, string> {
  const variables = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|POSTHORN_|NODE_OPTIONS$)/i.test(name),
  )
  return Object.fromEntries(variables) as Record<string, string>
}

interface Ran {
  readonly code: number
  readonly output: string
}

/** Sets such a machine up; `cache` is the folder in which its npm keeps what it fetched. */
export async function newMachine({ tarball }: Packed, cache: string): Promise<NewMachine> {
  const described = JSON.parse(await readPacked(tarball, 'package.json'))
  const registry = await startNpmRegistry(tarball, described)
  const environment = {
    ...ofThisMachine(),
    // A registry out of reach is an error soon.
    npm_config_fetch_retries: '1',
    npm_config_fetch_timeout: '60000',
    npm_config_registry: registry.url,
    npm_config_cache: cache,
    npm_config_ignore_scripts: 'true',
    npm_config_yes: 'true',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  }
  return {
    environment,
    run: (folder, words, more = {}) => outcomeOf(words, { cwd: folder, env: { ...environment, ...more } }),
    stop: registry.stop,
  }
}

async function outcomeOf([command = '', ...words]: readonly string[], options: SpawnOptions): Promise<Ran> {
  const child = endWithUs(spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? -1)))
  return { code, output }
}

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { showProgress } from './progress.mjs'

/** The folder of Posthorn. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Returns the packages that `npm ci` was asked to install in a folder, by their places; with
 * `node_modules/.package-lock.json`, those that it did install.
 */
export function packagesOf(folder, name = 'package-lock.json') {
  const path = join(folder, name)
  if (!existsSync(path)) return undefined
  const { packages } = JSON.parse(readFileSync(path, 'utf8'))
  return new Map(Object.entries(packages).filter(([place]) => place !== ''))
}

/** Signals that end an installation before it is done. */
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM']

/**
 * Runs `npm ci` in a folder, and shows that it installs `what`, of which the part `done(since)` was unpacked since that moment.
 * Resolves with true if it succeeded and `isThere()`. `omit` is npm's setting of that name, and `words` are further arguments.
 */
export async function installWithNpm(folder, what, { done, isThere = () => true, omit = '', words = [] }) {
  const began = Date.now()
  const end = showProgress(what, () => done(began))
  const { succeeded, said } = await runNpm(folder, omit, words)
  end()
  process.stderr.write(said)
  if (!succeeded || !isThere()) return false
  process.stderr.write(`Posthorn: done in ${Math.max(1, Math.round((Date.now() - began) / 1_000))} s\n`)
  return true
}

async function runNpm(folder, omit, words) {
  const { NPM_CONFIG_OMIT: _, npm_config_omit: __, ...environment } = process.env
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...words], {
    cwd: folder,
    // Its output is shown when it has ended, because the progress is drawn in the same place.
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...environment, ...(omit && { npm_config_omit: omit }) },
    shell: process.platform === 'win32',
  })
  const stop = (signal) => {
    npm.kill(signal)
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of signals) process.once(signal, stop)
  const said = []
  npm.stderr.on('data', (chunk) => said.push(chunk))
  const result = await new Promise((resolve) => {
    npm.once('error', (error) => resolve({ succeeded: false, said: `npm cannot be run: ${error.message}\n` }))
    npm.once('close', (code) => resolve({ succeeded: code === 0, said: Buffer.concat(said).toString() }))
  })
  for (const signal of signals) process.off(signal, stop)
  return result
}

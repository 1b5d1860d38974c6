// Runs on the machine's own Node before `npm start`, `npm test` and the like, so it must not need anything installed.
// It installs the dependencies when they are missing or older than the lockfile, and Node if the machine's own is too old. With
// `--omit=dev`, as before `npm start`, those for development are not needed; if there are any, they are kept up to date with the rest.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { installWithNpm, packagesOf, root } from './npm.mjs'
import { provideNode } from './provide-node.mjs'

const onlyToRun = process.argv.includes('--omit=dev')

const wanted = packagesOf(root)
// npm keeps the same list of what it installed.
const present = packagesOf(root, 'node_modules/.package-lock.json')

/** npm marks what only others need that are optional, or for development. */
function mayBeMissing({ optional, dev, devOptional }) {
  return optional || (onlyToRun && (dev || devOptional))
}

/** True when every package that the lockfile demands on this machine is there in the wanted version. */
function isInstalled() {
  if (!wanted || !present) return false
  for (const [name, entry] of wanted) {
    const found = present.get(name)
    if (!found ? !mayBeMissing(entry) : found.version !== entry.version) return false
  }
  return true
}

/**
 * Returns the kinds of packages that npm leaves out: those of its own settings, and those that were never there and are not
 * needed.
 */
function omitted() {
  const { NPM_CONFIG_OMIT, npm_config_omit = NPM_CONFIG_OMIT } = process.env
  const hasDevelopment = [...(present?.values() ?? [])].some(({ dev }) => dev)
  return [npm_config_omit, onlyToRun && !hasDevelopment ? 'dev' : undefined].filter(Boolean).join('\n\n')
}

/** The places of the packages that npm is going to install; a few that only other machines need may be among them. */
function expected(omit) {
  const left = omit.split(/[\s,]+/)
  const isFor = (here, given = here) => [given].flat().includes(here)
  return [...(wanted ?? [])].flatMap(([place, { dev, optional, devOptional, os, cpu }]) => {
    if ((dev && left.includes('dev')) || (optional && left.includes('optional'))) return []
    if (devOptional && left.includes('dev') && left.includes('optional')) return []
    return isFor(process.platform, os) && isFor(process.arch, cpu) ? [place] : []
  })
}

/** True when a package was unpacked after that moment: what is replaced stays in its place until npm removes all of it. */
function isUnpacked(place, since) {
  const { ctimeMs = 0 } = statSync(join(root, place, 'package.json'), { throwIfNoEntry: false }) ?? {}
  return ctimeMs >= since
}

async function installPackages() {
  const omit = omitted()
  const places = expected(omit)
  const done = (since) => places.filter((place) => isUnpacked(place, since)).length / places.length
  const size = omit.includes('dev') ? 'about 150 MB' : 'about 450 MB, with what the tests need'
  if (await installWithNpm(root, `installing what is missing (${size}, once)`, { done, omit })) return
  process.stderr.write(
    'Posthorn: the installation failed; npm says why above. Check that this machine reaches its npm registry and has room on its disk, then run the same command again.\n',
  )
  process.exit(1)
}

if (!(await provideNode())) process.exit(1)
if (!isInstalled()) {
  await installPackages()
  // npm has emptied the folder in which the link to Node was.
  if (!(await provideNode())) process.exit(1)
}

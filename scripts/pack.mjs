// `npm run pack`: makes the npm package `posthorn` of a clone, which itself needs no build: JavaScript and declarations, and
// the texts, with a bill of materials beside it. Two runs on the same source make the same bytes. `npm run pack -- FOLDER` writes to another folder.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { oldestNode } from '../src/node-version.js'
import { root } from './npm.mjs'

const target = resolve(process.argv[2] ?? join(root, 'pack'))

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)

/** The names of all files below a folder, by their paths from there. */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Compiles the source. Relative imports get their new endings by the compiler, and the URLs of modules here. */
function compile(dist) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(root, 'scripts/package.tsconfig.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', dist], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const file of filesIn(dist).filter((path) => path.endsWith('.js'))) {
    const text = readFileSync(file, 'utf8')
    const adjusted = text.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    if (adjusted !== text) writeFileSync(file, adjusted)
  }
}

/** Copies what the console and the link page are made of at each start: the server removes the types itself, as in a clone. */
function copyPages(dist) {
  const isServed = (path) =>
    !path.endsWith('.test.ts') && !path.includes('/screens/parts') && basename(path) !== 'tsconfig.json'
  cpSync(join(root, 'src/web'), join(dist, 'web'), { recursive: true, filter: isServed })
  cpSync(join(root, 'src/locales/languages.ts'), join(dist, 'locales/languages.ts'))
}

/** The package.json of what is published: without scripts and what is for development. */
function describePackage() {
  const { name, version, description, license, type, dependencies, optionalDependencies } =
    read('package.json')
  return {
    ...{ name, version, description, license, type },
    engines: { node: `>=${oldestNode}` },
    bin: { posthorn: 'dist/cli/posthorn.js' },
    files: ['dist', 'docs', 'NOTICE'],
    dependencies,
    optionalDependencies,
  }
}

/**
 * The dependencies in the versions that the tests are run with. They are not published as a shrinkwrap: npm 11 then installs the optional
 * packages of all systems, which takes 379 MB instead of 150.
 */
function lockOf(described) {
  const { lockfileVersion, packages } = read('package-lock.json')
  const { name, version, license, dependencies, optionalDependencies, bin, engines } = described
  const kept = { '': { name, version, license, dependencies, optionalDependencies, bin, engines } }
  for (const [place, { devOptional, ...entry }] of Object.entries(packages))
    if (place !== '' && !entry.dev) kept[place] = { ...entry, ...(devOptional && { optional: true }) }
  return { name, version, lockfileVersion, requires: true, packages: kept }
}

function stage(folder) {
  const dist = join(folder, 'dist')
  compile(dist)
  copyPages(dist)
  for (const name of ['README.md', 'LICENSE', 'NOTICE']) cpSync(join(root, name), join(folder, name))
  // Errors and the README refer to them; without pictures and decisions they are small.
  mkdirSync(join(folder, 'docs'))
  for (const name of readdirSync(join(root, 'docs')).filter((each) => each.endsWith('.md')))
    cpSync(join(root, 'docs', name), join(folder, 'docs', name))
  const described = describePackage()
  write(join(folder, 'package.json'), described)
  // For the bill of materials; npm leaves it out of the package.
  write(join(folder, 'package-lock.json'), lockOf(described))
  // The rights of files depend on who cloned them, and are part of the package.
  for (const file of filesIn(folder)) chmodSync(file, 0o644)
  chmodSync(join(folder, described.bin.posthorn), 0o755)
  return described
}

function npm(folder, ...words) {
  const options = {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    shell: process.platform === 'win32',
  }
  return execFileSync('npm', [...words, '--ignore-scripts', '--loglevel=error'], options)
}

/** The bill of materials, without the moment and the number of the run, which would differ each time. */
function billOf(folder) {
  const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
  const { serialNumber: _, ...bill } = JSON.parse(npm(folder, ...words))
  const { timestamp: __, ...metadata } = bill.metadata
  return { ...bill, metadata }
}

const home = mkdtempSync(join(tmpdir(), 'posthorn-pack-'))
// npm names the bill after its folder.
const folder = join(home, 'posthorn')
try {
  const { name, version } = stage(folder)
  const bill = billOf(folder)
  mkdirSync(target, { recursive: true })
  npm(folder, 'pack', `--pack-destination=${target}`)
  const tarball = join(target, `${name}-${version}.tgz`)
  write(join(target, `${name}-${version}.cdx.json`), bill)
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  console.log(`${tarball}: ${(statSync(tarball).size / 2 ** 20).toFixed(2)} MB, sha512-${digest}`)
} finally {
  rmSync(home, { recursive: true, force: true })
}

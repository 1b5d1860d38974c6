import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { operations } from '../src/contract/operations.ts'
import { directionFault, misplaced, sharedByNetworks } from './kit/house-order.ts'
import { isModule, readSourceTree, root, type SourceFile, trackedTexts } from './kit/source-tree.ts'

/*
 * The rules of the house that no tool checks. A rule that does not fit somewhere gets an entry in `exceptions` with its
 * reason; an entry that is no longer needed fails, so that the list only grows for a reason.
 */

type Rule =
  | 'lines'
  | 'function'
  | 'folder'
  | 'any'
  | 'direction'
  | 'cycle'
  | 'name'
  | 'operation'
  | 'dead'
  | 'console'
  | 'network'
  | 'text'

/** Exceptions to the rules: the rule, its subject, and the reason. */
const exceptions: readonly (readonly [rule: Rule, subject: string, reason: string])[] = [
  ['operation', 'startInstance', 'order-instance.ts: start, stop and restart are one order with three words'],
  ['operation', 'stopInstance', 'order-instance.ts: start, stop and restart are one order with three words'],
  [
    'operation',
    'restartInstance',
    'order-instance.ts: start, stop and restart are one order with three words',
  ],
  ['operation', 'uploadMediaMessage', 'send-media-message.ts: the same, by a path that takes uploads alone'],
  [
    'operation',
    'src/instances/operations/order-instance.ts',
    'answers startInstance, stopInstance and restartInstance',
  ],
  ['network', 'src/networks/networks.ts', 'the list of the networks of this build'],
  ['network', 'src/runtime/config/settings/network-settings.ts', 'new instances try the API first'],
  [
    'network',
    'src/server/responses/file-response.ts',
    'speaks of the sandboxes of browsers, which are called so',
  ],
  [
    'direction',
    'src/networks/whatsapp/processes/workers.ts src/networks/whatsapp/worker/main.ts',
    'starts it as the program of a process',
  ],
  ['lines', 'clients/javascript/src/contract/types.ts', 'made from the contract, as one file'],
  ['lines', 'clients/javascript/src/contract/methods.ts', 'made from the contract, as one file'],
  ['folder', 'bench', 'what is measured stands beside the processes that it starts'],
  [
    'network',
    'src/server/paths/other-gateways.ts',
    'the calls of other gateways have the names that those gave them',
  ],
  ['network', 'src/cli/migration/source-networks.ts', 'says which network accounts of other gateways have'],
]

const longestFile = 400
const longestFunction = 60
const maxFiles = 20

/** Entry points of the program and its threads; tests and benches begin by themselves. */
const beginnings = [
  'src/web/console/main.ts',
  'src/web/console/screens/parts/part-list.ts',
  'src/web/link-page/main.ts',
  'src/networks/whatsapp/worker/main.ts',
  'src/main.js',
  'src/cli/posthorn.js',
  'src/gateway/store-thread.js',
  'src/nodes/watchdog-thread.js',
]

const files = readSourceTree()
const byPath = new Map(files.map((file) => [file.path, file]))
const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts') || path.startsWith('test/')
const inSource = files.filter(({ path }) => path.startsWith('src/'))
const used = new Set<string>()

/** True when the exceptions allow it, which is noted. */
function isAllowed(rule: Rule, subject: string): boolean {
  const known = exceptions.some(([about, what]) => about === rule && what === subject)
  if (known) used.add(`${rule} ${subject}`)
  return known
}

/** Fails with every fault, each on a line of its own. */
function none(faults: readonly string[]): void {
  assert.ok(faults.length === 0, `\n${faults.map((fault) => `  ${fault}`).join('\n')}\n`)
}

describe('size', () => {
  test(`a file has fewer than ${longestFile} lines`, () => {
    const long = files.filter(({ path, lines }) => lines >= longestFile && !isAllowed('lines', path))
    none(long.map(({ path, lines }) => `${path} has ${lines} lines: split it by what its parts are about`))
  })

  test(`a function has fewer than ${longestFunction} lines`, () => {
    const faults = files.flatMap(({ path, functions }) =>
      functions
        // A group of tests is a chapter and not a function.
        .filter(({ name, length }) => length >= longestFunction && name !== 'describe(…)')
        .filter(({ name }) => !isAllowed('function', `${path} ${name}`))
        .map(
          ({ name, line, length }) =>
            `${path}:${line} ${name} has ${length} lines: give its steps names of their own`,
        ),
    )
    none(faults)
  })

  test(`a folder has at most ${maxFiles} files, tests included`, () => {
    const folders = [...Map.groupBy(files, ({ path }) => dirname(path))]
    const full = folders.filter(([, { length }]) => length > maxFiles)
    const faults = full.filter(([folder]) => !isAllowed('folder', folder))
    none(faults.map(([folder, { length }]) => `${folder} has ${length} files: give them rooms`))
  })
})

test('nothing has the type any', () => {
  const faults = files.flatMap(({ path, anys }) =>
    anys
      .filter(() => !isAllowed('any', path))
      .map((line) => `${path}:${line} says any: write the type, or unknown and check it`),
  )
  none(faults)
})

describe('imports', () => {
  test('go one way', () => {
    const program = inSource.filter((file) => !isTest(file))
    none([...misplaced(program.map(({ path }) => path)), ...program.flatMap(directionFaults)])
  })

  test('of files in JavaScript, which no compiler checks, name what is exported', () => {
    const imports = /\{ ([^}]+) \} (?:= await import\(|from )'(\.[^']+)'/g
    const faults = inSource
      .filter(({ path }) => path.endsWith('.js'))
      .flatMap(({ path }) =>
        [...readFileSync(join(root, path), 'utf8').matchAll(imports)].flatMap(([, names = '', from = '']) => {
          const there = readFileSync(join(root, dirname(path), from), 'utf8')
          return names
            .split(', ')
            .filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(there))
            .map((name) => `${path} imports ${name} of ${from}, which does not export it`)
        }),
      )
    none(faults)
  })

  test('name files that are there', () => {
    const faults = files.flatMap(({ path, references }) =>
      references
        .filter(({ target }) => isModule(target) && !byPath.has(target))
        .map(({ specifier, line }) => `${path}:${line} names ${specifier}, which is not there`),
    )
    none(faults)
  })

  test('take nothing into the browser but the page, what every page has, libraries, and types', () => {
    const folderOf = (path: string) => /^src\/web\/(browser|console|link-page)\//.exec(path)?.[0]
    const isForEveryPage = (path: string) => /^src\/(web\/browser\/|locales\/languages\.ts$)/.test(path)
    const hasTypes = (path: string) => /^src\/(contract|locales)\//.test(path)
    const own = inSource.filter(({ path }) => folderOf(path))
    const faults = own.flatMap(({ path, references }) => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n')
      const isType = (line: number) => lines[line - 1]?.startsWith('import type ')
      return references
        .filter(({ specifier, target, line }) =>
          target === undefined
            ? !['preact', 'preact/hooks', 'uplot'].includes(specifier)
            : folderOf(target) !== folderOf(path) &&
              !isForEveryPage(target) &&
              !(hasTypes(target) && isType(line)),
        )
        .map(({ specifier, line }) => `${path}:${line} imports ${specifier}, which browsers do not get`)
    })
    none(faults)
  })

  test('keep simulators apart from what is tested against them', () => {
    const faults = files
      .filter(({ path }) => path.startsWith('test/simulators/'))
      .flatMap(({ path, references }) =>
        references
          .filter(({ target }) => target !== undefined && !target.startsWith('test/simulators/'))
          .map(({ line, specifier }) => `${path}:${line} imports ${specifier}: write it anew`),
      )
    none(faults)
  })

  test('make no cycle', () => {
    none(
      cycles().map((cycle) => `${cycle.join(' → ')}: move what both need to where neither has to look back`),
    )
  })

  test('reach every file', () => {
    const isFound = (path: string) => /^src\/networks\/[^/]+\/words\//.test(path)
    const seeds = files.filter(
      ({ path }) => path.endsWith('.test.ts') || !path.startsWith('src/') || isFound(path),
    )
    const reached = reachedFrom([...beginnings, ...seeds.map(({ path }) => path)])
    const dead = inSource.filter(({ path }) => !reached.has(path) && !isAllowed('dead', path))
    none(dead.map(({ path }) => `${path} is used by nobody: use it or remove it`))
  })
})

describe('names', () => {
  test('say what is inside', () => {
    const vague = /^(utils?|helpers?|common|services?|managers?|misc|shared|lib)(\.test)?(\.ts)?$/
    const faults = files
      .filter(({ path }) => path.split('/').some((part) => vague.test(part)) && !isAllowed('name', path))
      .map(({ path }) => `${path}: name it after what it holds; such a name invites everything`)
    none(faults)
  })

  test('of operations and of the files that answer them agree', () => {
    const folders = inSource.filter(({ path }) =>
      /^src\/(?!contract\/).+\/operations\/([^/]+\/)?[^/]+(?<!\.test)\.ts$/.test(path),
    )
    const answering = folders.filter(({ path }) => !['index.ts', 'context.ts'].includes(basename(path)))
    const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const partners = operations.filter(({ access }) => access !== 'open' && access !== 'metrics')
    const names = new Map(partners.map(({ id }) => [`${kebab(id)}.ts`, id]))
    const without = partners
      .filter(({ id }) => !answering.some(({ path }) => basename(path) === `${kebab(id)}.ts`))
      .filter(({ id }) => !isAllowed('operation', id))
      .map(
        ({ id }) =>
          `the operation ${id} has no file ${kebab(id)}.ts in a folder "operations": answer it there`,
      )
    const strange = answering
      .filter(({ path }) => !names.has(basename(path)) && !isAllowed('operation', path))
      .map(({ path }) => `${path} is named after no operation: name it after the one that it answers`)
    none([...without, ...strange])
  })
})

test('only the command line, benches, demos and scripts use the console', () => {
  const faults = files
    .filter(({ path }) => !/^(src\/cli|bench|demo|scripts)\//.test(path))
    .flatMap(({ path, consoles }) => consoles.map((line) => `${path}:${line}`))
    .filter((place) => !isAllowed('console', place))
  none(faults.map((place) => `${place} uses the console: take the log that is passed down`))
})

test('names of hosts are looked up in one place, and never on the threads that read files', () => {
  const isPlace = (path: string) => path.startsWith('src/net/resolve/')
  const faults = inSource
    .filter((file) => !isTest(file) && !isPlace(file.path))
    .flatMap(({ path, references }) =>
      references
        .filter(({ specifier }) => /^(node:)?dns(\/|$)/.test(specifier))
        .map(({ line }) => `${path}:${line} looks names up itself: use net/resolve`),
    )
  none(faults)
})

test('a network is named only in its folder, and in the examples of the contract', () => {
  const networks = readdirSync(join(root, 'src/networks'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !sharedByNetworks.includes(name))
  const faults = inSource
    .filter((file) => !isTest(file) && !file.path.startsWith('src/contract/'))
    .flatMap(({ path }) => {
      const text = readFileSync(join(root, path), 'utf8').replaceAll(/\/\*.*?\*\/|\/\/ [^\n]*/gs, '')
      return networks
        .filter((name) => !isAtHome(path, name) && new RegExp(name, 'i').test(text))
        .filter(() => !isAllowed('network', path))
        .map((name) => `${path} names ${name}: let its driver declare what is special about it`)
    })
  none(faults)
})

/** True in the folder of a network, and in that of one whose name is longer: its name contains the first. */
function isAtHome(path: string, network: string): boolean {
  return path.startsWith(`src/networks/${network}/`) || path.startsWith(`src/networks/${network}-`)
}

test('decisions are numbered without gap or repetition, and listed in order', () => {
  const folder = join(root, 'docs/decisions')
  const notes = readdirSync(folder).filter((name) => name !== 'README.md')
  const listed = [
    ...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^- \[(\d{4}): .+\]\((.+)\)$/gm),
  ]
  assert.deepEqual(
    listed.map(([, number, name]) => [number, name]),
    notes.sort().map((name, index) => [String(index + 1).padStart(4, '0'), name]),
  )
})

describe('what git keeps', () => {
  test('names no place of one machine and no package registry', () => {
    // Written in two parts, so that this file does not find itself.
    const places = new RegExp(['/(?:home|root|Users|work)', '/[\\w.-]+|[A-Z]:', '\\\\Users\\\\'].join(''))
    const hosts = [
      'registry\\.npmjs',
      'registry\\.yarnpkg',
      'npm\\.pkg\\.github',
      'artifactory',
      'verdaccio',
      'jfrog',
    ]
    const registries = new RegExp(`(?:${hosts.join('|')})\\.`, 'i')
    const faults = trackedTexts().flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const found = places.exec(line)?.[0] ?? registries.exec(line)?.[0]
        if (found === undefined || isAllowed('text', `${path} ${found}`)) return []
        return [`${path}:${index + 1} has "${found}": it is right on one machine only`]
      }),
    )
    none(faults)
  })

  for (const folder of ['', 'scripts/node/', 'test/generators/', 'test/n8n/', 'integrations/n8n/']) {
    test(`has ${folder}package-lock.json, which every registry can serve and every machine can install from`, () => {
      const text = readFileSync(join(root, folder, 'package-lock.json'), 'utf8')
      checkLockfile(text)
    })
  }

  function checkLockfile(text: string): void {
    assert.ok(!text.includes('"resolved":'), 'write it with `npm install --omit-lockfile-registry-resolved`')
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>
    }
    const missing = Object.entries(packages).flatMap(([name, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(
          ([optional]) =>
            !packages[`${name}/node_modules/${optional}`] && !packages[`node_modules/${optional}`],
        )
        .map(([optional, version]) => `${name} needs ${optional} ${version}`),
    )
    none(
      missing.map(
        (what) => `${what}, which package-lock.json lacks: npm ci refuses that everywhere; add the entry`,
      ),
    )
  }
})

after(() => {
  const unused = exceptions.filter(([rule, subject]) => !used.has(`${rule} ${subject}`))
  none(
    unused.map(([rule, subject]) => `the exception "${rule} ${subject}" is not needed any more: remove it`),
  )
})

function directionFaults({ path, references }: SourceFile): string[] {
  return references.flatMap(({ target, line }) => {
    if (!isModule(target) || isAllowed('direction', `${path} ${target}`)) return []
    const reason = directionFault(path, target)
    return reason === undefined ? [] : [`${path}:${line} imports ${target}: ${reason}`]
  })
}

/** Every file that can be come to from these. */
function reachedFrom(paths: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const ahead = [...paths]
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const { target } of byPath.get(path)?.references ?? []) if (target !== undefined) ahead.push(target)
  }
  return reached
}

/** One cycle for each file from which the search comes back to a file on its own way. */
function cycles(): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    const at = way.indexOf(path)
    if (at >= 0) found.push([...way.slice(at), path])
    if (at >= 0 || done.has(path)) return
    way.push(path)
    for (const { target } of byPath.get(path)?.references ?? [])
      if (target !== undefined && target !== path && !isAllowed('cycle', `${path} ${target}`)) visit(target)
    way.pop()
    done.add(path)
  }
  for (const { path } of files) visit(path)
  return found
}

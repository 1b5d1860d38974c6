import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parse } from 'yaml'
import { notesOf } from '../../../scripts/release/check-tag.ts'

/* The workflow of a release, as far as it can be played without GitHub: its scripts, with programs that only write down how they were called. */

const root = new URL('../../..', import.meta.url).pathname
const home = mkdtempSync(join(tmpdir(), 'posthorn-release-'))
after(() => rmSync(home, { recursive: true, force: true }))

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[]
}

const workflow = parse(readFileSync(join(root, '.github/workflows/release.yaml'), 'utf8')) as {
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

describe('a tag', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- More.\n\n### Upgrade notes\n\nNone.\n\n## 0.1.0 - 2026-11-30\n\nFirst.\n'
  const of = (version: string) => ({ version, changelog })

  test('that fits gives the text of the release', () => {
    assert.equal(notesOf('v0.2.0', of('0.2.0')), '### Added\n\n- More.\n\n### Upgrade notes\n\nNone.')
  })

  for (const [name, tag, given, reason] of [
    ['of another version', 'v0.2.1', of('0.2.0'), /does not fit the version 0\.2\.0/],
    ['without a v', '0.2.0', of('0.2.0'), /does not fit/],
    ['without a section in the changelog', 'v0.3.0', of('0.3.0'), /no section for 0\.3\.0/],
    ['without upgrade notes', 'v0.1.0', of('0.1.0'), /no "### Upgrade notes"/],
    ['of a version that is none', 'v1', of('1'), /no semantic version/],
  ] as const)
    test(`${name} is refused`, () => assert.throws(() => notesOf(tag, given), reason))
})

test('no expression of GitHub stands in a script, and each job may only do what it needs', () => {
  assert.deepEqual(workflow.permissions, { contents: 'read' })
  for (const [name, { steps, permissions }] of Object.entries(workflow.jobs)) {
    for (const { run = '' } of steps) assert.ok(!run.includes('${{'), `${name}: ${run}`)
    const writes = Object.entries(permissions ?? {}).flatMap(([what, how]) => (how === 'write' ? [what] : []))
    const may: Record<string, string[]> = {
      check: [],
      package: ['id-token'],
      image: ['packages', 'id-token'],
      release: ['contents'],
    }
    assert.deepEqual(writes, may[name], name)
  }
})

/** Plays the scripts of a job in an empty folder. Returns how the programs were called that would leave the machine. */
function play(job: string, tag: string, prepare: (folder: string) => void = () => {}) {
  const folder = mkdtempSync(join(home, `${job}-`))
  const programs = join(folder, 'programs')
  const calls = join(folder, 'calls')
  mkdirSync(programs)
  writeFileSync(calls, '')
  for (const name of ['npm', 'docker', 'cosign', 'gh']) {
    const file = join(programs, name)
    // It reads its input to the end: one that leaves early breaks the pipe of the program before it.
    writeFileSync(
      file,
      `#!/bin/sh\nprintf '%s' ${name} >>"$CALLS"\nprintf ' %s' "$@" >>"$CALLS"\necho >>"$CALLS"\ncat >/dev/null\n`,
    )
    chmodSync(file, 0o755)
  }
  prepare(folder)
  const env = {
    ...{ PATH: `${programs}:${join(process.execPath, '..')}:/usr/bin:/bin`, CALLS: calls, TAG: tag },
    ...{
      IMAGE: 'ghcr.io/Someone/Posthorn',
      TOKEN: 'secret',
      ACTOR: 'ana',
      REVISION: 'abc',
      SOURCE: 'https://example',
    },
  }
  for (const { name, run } of workflow.jobs[job]?.steps ?? []) {
    if (run === undefined) continue
    // As GitHub runs them.
    const ran = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', run], { cwd: folder, env, encoding: 'utf8' })
    assert.equal(ran.status, 0, `${name}: ${ran.stdout}${ran.stderr}`)
  }
  return readFileSync(calls, 'utf8').trim().split('\n')
}

/** A packing step that writes what the real one does by name, and in the second turn something else if told to. */
const packing = (differs: boolean) => (folder: string) => {
  mkdirSync(join(folder, 'scripts'))
  const text = `import { mkdirSync, writeFileSync } from 'node:fs'
const folder = process.argv[2]
mkdirSync(folder)
writeFileSync(folder + '/posthorn-0.2.0.tgz', ${differs ? 'folder' : "'same'"})\n`
  writeFileSync(join(folder, 'scripts/pack.mjs'), text)
}

test('the package is published with its provenance, under the name that the packing step gives it', () => {
  assert.ok(existsSync(join(root, 'scripts/pack.mjs')))
  assert.deepEqual(play('package', 'v0.2.0', packing(false)), [
    'npm ci --ignore-scripts',
    'npm publish ./first/posthorn-0.2.0.tgz --provenance --access public --tag latest',
  ])
  assert.match(
    play('package', 'v0.2.0-rc.1', packing(false)).at(-1) ?? '',
    /posthorn-0\.2\.0-rc\.1\.tgz .*--tag next$/,
  )
})

test('a package that is another the second time is not published', () => {
  assert.throws(() => play('package', 'v0.2.0', packing(true)), /Make it twice, and compare/)
})

test('the image is built of the Containerfile with its bill of materials, and signed by its digest', () => {
  const digest = (folder: string) =>
    writeFileSync(join(folder, 'image.json'), JSON.stringify({ 'containerimage.digest': 'sha256:1' }))
  const [login, build = '', sign] = play('image', 'v0.2.0', digest)
  assert.equal(login, 'docker login ghcr.io --username ana --password-stdin')
  for (const words of [
    '--file Containerfile',
    '--sbom=true --provenance=mode=max',
    '--build-arg VERSION=0.2.0 --build-arg REVISION=abc --build-arg SOURCE=https://example',
    '--tag ghcr.io/someone/posthorn:0.2.0 --tag ghcr.io/someone/posthorn:latest',
  ])
    assert.ok(build.includes(words), build)
  assert.equal(sign, 'cosign sign --yes ghcr.io/someone/posthorn@sha256:1')
  for (const [, argument = ''] of build.matchAll(/--build-arg (\w+)=/g))
    assert.match(readFileSync(join(root, 'Containerfile'), 'utf8'), new RegExp(`^ARG ${argument}=`, 'm'))
  assert.doesNotMatch(play('image', 'v0.2.0-rc.1', digest)[1] ?? '', /:latest/)
})

test('the release has the section of the changelog, the package and its bill of materials', () => {
  const artifacts = (folder: string) => {
    mkdirSync(join(folder, 'files'))
    for (const name of ['notes.md', 'posthorn-0.2.0.tgz', 'posthorn-0.2.0.cdx.json'])
      writeFileSync(join(folder, 'files', name), '')
  }
  assert.deepEqual(play('release', 'v0.2.0', artifacts), [
    'gh release create v0.2.0 --verify-tag --title v0.2.0 --notes-file files/notes.md files/posthorn-0.2.0.cdx.json files/posthorn-0.2.0.tgz',
  ])
  assert.match(play('release', 'v0.2.0-rc.1', artifacts)[0] ?? '', /--prerelease/)
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './kit/source-tree.ts'

/*
 * The types make each call in a server name its party (`StoreForAll`). What they cannot tell is whether that is the
 * organization whose call it is: so each party that is no organization stands here, with the reason why it may be one.
 */

/** The parts of the server that work for all organizations. */
const parts: ReadonlyMap<string, string> = new Map([
  ['start', 'nobody is served yet'],
  ['lease', 'the lease of the server is renewed in time, whoever asks for much'],
  ['nodes', 'what nodes tell, ask and take from each other'],
  ['health', 'whether the store can be written to is told in time, whoever asks for much'],
  ['position', 'notes how far the store has come'],
  ['authentication', 'finds out whose key or session it is'],
  ['link_pages', 'finds out whose link page it is'],
  ['callbacks', 'finds out whose callback or account it is, or whose parts are in a callback'],
  ['operator', 'requests of the operator, who belongs to no organization'],
  ['webhooks', 'fans out, claims and settles, with one call of an organization at a time'],
  ['files', 'finds the files to fetch, of all organizations in their turns'],
  ['statistics', 'counts events, with one call of an organization at a time'],
  ['metrics', 'sums of all organizations'],
  ['expiry', 'gives up what is over, in the order of time'],
  ['housekeeping', 'removes what nobody needs any more, in small parts'],
])

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && !/^src\/(console|link-page|cli)\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Ways in which code names a party by a word: in a turn, or for a part of the server. */
const naming = /(?:\bparty: |\b(?:in)?TurnsOf\([^'\n]*, |^ *party: [^'\n]*\?\? )'(\w+)'/gim

test('parties of the store are organizations, and the parts of the server that work for all of them', () => {
  const named = new Set(
    sources
      .filter(({ path }) => path !== 'src/store/store.ts')
      .flatMap(({ text }) => [...text.matchAll(naming)].map(([, party = '']) => party)),
  )
  assert.deepEqual([...named].sort(), [...parts.keys()].sort())
})

test('nothing in a server takes the turn of a process that works for nobody', () => {
  const users = sources.filter(({ text }) => text.includes('serverTurn')).map(({ path }) => path)
  assert.deepEqual(users.sort(), ['src/store/grouped-store.ts', 'src/store/store.ts'])
})

test('the map says which these parts are', () => {
  const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const [, listed = ''] = /^- A call of the store .*?: (.*?)\.$/ms.exec(map) ?? []
  assert.deepEqual(
    [...listed.matchAll(/`(\w+)`/g)].map(([, party]) => party).sort(),
    [...parts.keys()].sort(),
  )
})

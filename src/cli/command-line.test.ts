import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const entry = new URL('posthorn.js', import.meta.url).pathname

/** Returns the words of `posthorn` on standard error after a wrong call. */
function said(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...words], { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [2, ''])
  return stderr
}

const commands: readonly (readonly [mistyped: string, meant: string])[] = [
  ['bakup', '`npx posthorn backup`'],
  ['hlep', '`npx posthorn help`'],
  ['--hlep', '`npx posthorn help`'],
  ['doktor now', '`npx posthorn doctor`'],
  ['keys craete', '`npx posthorn keys create`'],
  ['keys lsit --json', '`npx posthorn keys list`'],
  ['organisations create acme', '`npx posthorn organizations create`'],
  ['webhook lsiten', '`npx posthorn webhooks listen`'],
  ['event', '`npx posthorn events tail`, `npx posthorn events forward`'],
  ['kyes', '`npx posthorn keys create`, `npx posthorn keys list`, `npx posthorn keys revoke`'],
]
for (const [mistyped, meant] of commands)
  test(`posthorn ${mistyped} is asked whether it means ${meant}`, () => {
    const words = mistyped.split(' ')
    assert.ok(said(...words).includes(`; did you mean ${meant}? \`npx posthorn help\` lists them all.\n`))
  })

test('nothing is suggested where nothing is near', () => {
  assert.equal(
    said('frobnicate'),
    'posthorn: there is no command "frobnicate"; `npx posthorn help` lists them all.\n',
  )
  assert.match(said('keys', 'frobnicate'), /^posthorn: say which: npx posthorn keys create, /)
  assert.match(said('keys'), /^posthorn: say which: npx posthorn keys create, /)
  assert.match(said('keys', 'list', '--frobnicate'), /^posthorn: Unknown option '--frobnicate'; usage: /)
})

test('a mistyped option is asked which it means', () => {
  for (const option of ['--organisation', '--organisation=acme', '--orgnaization'])
    assert.match(
      said('keys', 'create', option),
      /^posthorn: Unknown option '--org\w+'; did you mean `--organization`\? Usage: posthorn keys create --organization NAME /,
    )
  assert.match(said('keys', 'list', '--jsno'), /did you mean `--json`\?/)
  assert.match(said('keys', 'list', '--hlep'), /did you mean `--help`\?/)
})

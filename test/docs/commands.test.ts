import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operations } from '../../src/contract/operations.ts'
import { validator } from '../../src/contract/validate.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { runCommand } from '../kit/processes/run-command.ts'
import { root } from '../kit/source-tree.ts'
import { Walker } from '../kit/walk.ts'
import { blocks, inlineCode } from './commands/blocks.ts'
import { commandsIn } from './commands/shell-words.ts'
import { typed } from './commands/typed.ts'

/* The commands on all pages: each block is typed by a test or has a reason, and calls nothing that is not there. */

describe('a block of commands', () => {
  test('is typed by a test, or has a reason why none types it', () => {
    const without = blocks.filter(({ page, heading }) => !(typed[page]?.[heading] ?? typed[page]?.['*']))
    assert.deepEqual(
      without.map(
        ({ page, heading }) => `${page}, below “${heading}”: give it an account in commands/typed.ts`,
      ),
      [],
    )
    for (const [page, accounts] of Object.entries(typed))
      for (const account of Object.values(accounts))
        if ('by' in account) {
          const test = readFileSync(join(root, account.by), 'utf8')
          assert.ok(test.includes(basename(page)), `${account.by} does not read ${page}`)
        }
  })

  test('has no account that no block needs', () => {
    for (const [page, accounts] of Object.entries(typed))
      for (const heading of Object.keys(accounts))
        assert.ok(
          blocks.some((block) => block.page === page && (heading === '*' || block.heading === heading)),
          `${page}: ${heading}`,
        )
  })
})

/** A call of curl, as far as the contract says something about it. */
interface Call {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  readonly body: string | undefined
  readonly fields: readonly string[]
}

const ours = /^(?:http:\/\/127\.0\.0\.1:8080|\$(?:POSTHORN_URL|BASE_URL))(?=\/v1)/

/** The call of these words; undefined if they call no Posthorn. */
function callOf([program, ...words]: readonly string[]): Call | undefined {
  const url = words.find((word) => ours.test(word))
  if (program !== 'curl' || url === undefined) return undefined
  const after = (...flags: readonly string[]) => words.filter((_, at) => flags.includes(words[at - 1] ?? ''))
  const [body] = after('-d', '--data', '--json')
  const fields = after('-F', '--form').map((field) => field.split('=')[0] ?? '')
  const [path = '', query = ''] = url.replace(ours, '').split('?')
  const [method = body !== undefined || fields.length > 0 ? 'POST' : 'GET'] = after('-X', '--request')
  return { method, path, query: [...new URLSearchParams(query).keys()], body, fields }
}

function faultsOf({ method, path, query, body, fields }: Call): string[] {
  const operation = operations.find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  if (!operation) return [`there is no ${method} ${path}`]
  const unknown = query.filter((name) => !operation.query?.properties[name])
  const strange = fields.filter((name) => !operation.multipart?.properties[name])
  const faults =
    body === undefined || !operation.body
      ? []
      : validator(operation.body)(JSON.parse(body.replaceAll('…', '')))
  return [...unknown, ...strange, ...faults.map(({ pointer, detail }) => `${pointer} ${detail}`)]
}

test('each call of curl fits the contract', (t) => {
  const calls = blocks.flatMap(({ page, text }) =>
    commandsIn(text).flatMap((words) => {
      const call = callOf(words)
      return call ? [{ page, call }] : []
    }),
  )
  t.diagnostic(`${calls.length} calls`)
  assert.ok(calls.length >= 40)
  for (const { page, call } of calls)
    assert.deepEqual(faultsOf(call), [], `${page}: ${call.method} ${call.path}`)
})

/** The options of each command, as the completion of a shell knows them. */
async function knownCommands(): Promise<Map<string, Set<string>>> {
  const { out } = await runCommand(['completion', 'bash'], { environment: {}, cwd: root })
  const leaves = [...out.matchAll(/^ *"([a-z ]+) "\*\) words="([^"]*--help)" ;;$/gm)]
  const others = ['help', 'version', 'completion'].map((name) => [name, new Set<string>()] as const)
  return new Map([
    ...leaves.map(([, name = '', options = '']) => [name, new Set(options.split(' '))] as const),
    ...others,
  ])
}

/** The place of the first word after `posthorn`; the end if the command is another one. */
function startOf(words: readonly string[]): number {
  const at = words.findIndex(
    (word, place) =>
      word.endsWith('.bin/posthorn') || (word === 'posthorn' && (place === 0 || words[place - 1] === 'npx')),
  )
  return at < 0 ? words.length : at + 1
}

test('each command of Posthorn exists, with its options', async (t) => {
  const known = await knownCommands()
  assert.ok(known.size > 25)
  const sentences = inlineCode.filter(({ code }) => code.startsWith('npx posthorn '))
  const lines = [...blocks, ...sentences.map(({ page, code }) => ({ page, text: code }))]
  const called = lines.flatMap(({ page, text }) =>
    commandsIn(text).flatMap((words) => {
      const given = words.slice(startOf(words))
      return /^[a-z]/.test(given[0] ?? '') ? [{ page, words: given }] : []
    }),
  )
  t.diagnostic(`${called.length} commands`)
  assert.ok(called.length > 40)
  for (const { page, words } of called) {
    const [first = '', second = ''] = words
    const options = known.get(`${first} ${second}`) ?? known.get(first)
    const isGroup = [...known.keys()].some((name) => name.startsWith(`${first} `))
    assert.ok(options ?? (isGroup && words.length === 1), `${page}: posthorn ${words.join(' ')}`)
    for (const word of words.filter((one) => one.startsWith('--') && one !== '--help'))
      assert.ok(options?.has(word.split('=')[0] ?? ''), `${page}: posthorn ${words.join(' ')}`)
  }
})

test('each script of npm that is run in a clone exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const { page, code } of inlineCode) {
    const [, name] = /^npm run (?!.*--prefix)([\w:]+)/.exec(code) ?? []
    if (name !== undefined && page.startsWith('docs/')) assert.ok(scripts[name], `${page}: ${code}`)
  }
})

describe('docs/operations.md', () => {
  let posthorn: Posthorn
  before(async () => {
    posthorn = await startPosthorn()
  })
  after(() => posthorn.stop())

  test('gives out a key', async () => {
    const walker = new Walker(posthorn, posthorn.data, { 'data/operator.token': 'operator.token' })
    const given = blocks.filter(
      ({ page, heading }) => page === 'docs/operations.md' && heading === 'Give out keys',
    )
    assert.equal(given.length, 1)
    assert.match(await walker.type(given[0]?.text ?? ''), /phk_\w+/)
  })
})

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { instanceReasons, mediaErrors, messageErrors } from '../../src/contract/codes.ts'
import { isAudited, type Operation } from '../../src/contract/operation.ts'
import { listNetworks } from '../../src/contract/operations/network-operations.ts'
import { operations } from '../../src/contract/operations.ts'
import type { Network } from '../../src/contract/resources/network.ts'
import { locales } from '../../src/locales/index.ts'
import type { DriverWords, NetworkWords } from '../../src/locales/network-words.ts'
import { withoutCalls } from '../../src/web/console/words/without-calls.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { root } from '../kit/source-tree.ts'

/*
 * Words for people are complete. Missing keys and placeholders do not compile; what types cannot see is here: keys that English
 * does not have, placeholders that it does not have, what the networks of this build say in English, and why values are refused.
 */

interface Words {
  readonly console: NetworkWords['console'] & Partial<DriverWords>
  readonly 'link-page'?: NetworkWords['link-page']
}

const others = ['pt-BR', 'es'] as const
const kinds = ['reasons', 'errors', 'notices', 'restrictions'] as const
const commonOf = { 'pt-BR': locales['pt-BR'].console.codes, es: locales.es.console.codes }

const contractCodes: Readonly<Record<string, readonly string[]>> = {
  reasons: Object.keys(instanceReasons),
  errors: [...Object.keys(messageErrors), ...Object.keys(mediaErrors)],
}

const networksFolder = join(root, 'src/networks')
const wordsOf = async (network: string, tag: string): Promise<Words> =>
  (await import(join(networksFolder, network, 'words', `${tag}.ts`))).words

/** Every phrase of a table, by its key: its groups and plural forms are spelled out. */
function phrasesOf(table: object, prefix = ''): [key: string, phrase: string][] {
  return Object.entries(table).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + name, value]] : phrasesOf(value as object, `${prefix}${name}.`),
  )
}

/** The placeholders of each key; a plural may leave out its count in a form, so they are those of its forms together. */
function placeholdersOf(table: object): Map<string, Set<string>> {
  const found = Map.groupBy(phrasesOf(table), ([key]) => key.replace(/\.(zero|one|two|few|many|other)$/, ''))
  return new Map(
    [...found].map(([key, forms]) => [
      key,
      new Set(forms.flatMap(([, phrase]) => [...phrase.matchAll(/\{\w+\}/g)].map(([name]) => name))),
    ]),
  )
}

const withNetworks = readdirSync(networksFolder).filter((name) =>
  existsSync(join(networksFolder, name, 'words')),
)

for (const tag of others) {
  test(`${tag} has the keys and the placeholders of English, and no others`, async () => {
    const { codes: _, ...console } = locales[tag].console
    const own = placeholdersOf({ ...locales[tag], console })
    assert.deepEqual(own, placeholdersOf(locales.en))
    for (const network of withNetworks) {
      const english = await wordsOf(network, 'en')
      const translated = await wordsOf(network, tag)
      assert.deepEqual(Object.keys(translated.console.labels), Object.keys(english.console.labels), network)
      assert.deepEqual(
        placeholdersOf(translated['link-page'] ?? {}),
        placeholdersOf(english['link-page'] ?? {}),
      )
    }
  })
}

test('no phrase is empty, and words are data: no module of them has logic', async () => {
  const modules = ['en', ...others].flatMap((tag) => [
    ...readdirSync(join(root, 'src/locales', tag), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, 'src/locales', tag, name)),
    ...withNetworks.map((network) => join(networksFolder, network, 'words', `${tag}.ts`)),
  ])
  for (const module of modules) {
    const exported = (await import(module)) as object
    for (const [key, phrase] of phrasesOf(exported)) {
      assert.equal(typeof phrase, 'string', `${module}: ${key}`)
      assert.ok(phrase.trim() === phrase && phrase !== '', `${module}: ${key} is empty, or has spaces around`)
    }
    const code = readFileSync(module, 'utf8').replaceAll(/'(?:[^'\\]|\\.)*'|"[^"]*"|\/\*.*?\*\//gs, '')
    assert.doesNotMatch(code, /=>|\bfunction\b|`|\?|\.\.\./, `${module} has logic`)
  }
})

test('the pages say every phrase that they have', () => {
  const faults = (['console', 'link-page'] as const).flatMap((page) => {
    const folder = join(root, 'src/web', page)
    const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const code = modules.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    const said = new Set([...code.matchAll(/'([\w.]+)'/g)].map(([, key]) => key))
    const templates = [...code.matchAll(/`((?:\w+\.)*\w*)\$\{[^}]+\}(\w*)`/g)]
    const isMade = (key: string) =>
      templates.some(
        ([, start = '', end = '']) => start.includes('.') && key.startsWith(start) && key.endsWith(end),
      )
    // A problem, and what a field is called, are looked up as a whole.
    const isLookedUp = (key: string) => /^(problems|network_fields)\./.test(key)
    return keysOf(locales.en[page])
      .filter((key) => !said.has(key) && !isMade(key) && !isLookedUp(key))
      .map((key) => `nothing says ${key} of the ${page}: remove it from src/locales`)
  })
  assert.deepEqual(faults, [])
})

/** The keys of a table of phrases, with those of its groups. */
function keysOf(table: object, prefix = ''): string[] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'string' || Object.hasOwn(value, 'one')
      ? [prefix + name]
      : keysOf(value as object, `${prefix}${name}.`),
  )
}

for (const tag of others)
  test(`every code with which values are refused has words in ${tag}`, async () => {
    const own = await Promise.all(withNetworks.map((network) => wordsOf(network, tag)))
    const told = [commonOf[tag].faults, ...own.map((words) => words.console.faults ?? {})]
    const lacking = refusals().filter((code) => !told.some((table) => Object.hasOwn(table, code)))
    assert.deepEqual(lacking, [], `add them to src/locales/${tag}/codes/faults.ts, or to the network's words`)
  })

/** The codes of invalid values, as the source states them: beside a pointer, or in a call that makes such a value. */
function refusals(): string[] {
  const forms = [
    /\bpointer\b[^{}]{0,250}?\bcode: '(\w+)'/g,
    /\bcode: '(\w+)'[^{}]{0,300}?\bpointer\b/g,
    /\brefuse\([^()]*\{ code: '(\w+)'/g,
    /\b(?:fault|invalidValue)\((?:[^()',]|'[^']*'|\([^()]*\))+, '(\w+)'/g,
    /\b(?:componentsFault|unfit)\('(\w+)'/g,
    /(?:=>|=) \['(\w+)', [`'](?:The|There) /g,
  ]
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const modules = names.filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|^(web|locales|cli)\/|\/words\/|openapi/.test(name),
  )
  const codes = modules.flatMap((name) => {
    const text = readFileSync(join(root, 'src', name), 'utf8')
    return forms.flatMap((form) => [...text.matchAll(form)].map(([, code]) => code ?? ''))
  })
  assert.ok(new Set(codes).size > 25, 'the forms find the codes')
  return [...new Set(codes)]
}

describe('the console has words in every language', () => {
  let posthorn: Posthorn
  let networks: readonly Network[]

  before(async () => {
    posthorn = await startPosthorn()
    networks = (await posthorn.admin.call(listNetworks)).body.data
  })

  after(() => posthorn.stop())

  test('and none of them names a path of the API to a person', async () => {
    const words = await Promise.all(
      withNetworks.flatMap((network) => ['en', ...others].map((tag) => wordsOf(network, tag))),
    )
    const own = [locales, ...words].flatMap((table) => phrasesOf(table).map(([, phrase]) => phrase))
    const codes = [instanceReasons, messageErrors, mediaErrors, ...networks.flatMap(codesOf)]
    const told = codes.flatMap((table) => phrasesOf(table).map(([, phrase]) => withoutCalls(phrase)))
    const fields = networks.flatMap(({ settings, credentials }) => descriptionsOf([settings, credentials]))
    assert.ok(own.length > 1_000 && told.length > 300 && fields.length > 20)
    assert.deepEqual(
      [...own, ...told, ...fields].filter((phrase) => phrase.includes('/v1/')),
      [],
    )
  })

  test('and each action of the audit log has a name', () => {
    const actions = (operations as readonly Operation[])
      .filter((each) => isAudited(each))
      .map(({ id, auditedAs }) => auditedAs ?? id)
    const named = Object.keys(locales.en.console.audit.actions)
    assert.deepEqual(
      [...new Set(actions)].filter((action) => !named.includes(action)),
      [],
    )
  })

  test('and each network is called what the server calls it', async () => {
    const names = networks.map(async ({ network, title }) => [
      title,
      (await wordsOf(network, 'en')).console.card.name,
    ])
    for (const [title, name] of await Promise.all(names)) assert.equal(name, title)
  })

  for (const tag of others) {
    for (const kind of kinds) {
      test(`for all ${kind} of the networks, and for nothing else, in ${tag}`, async () => {
        const common = kind === 'restrictions' ? {} : commonOf[tag][kind]
        const declaring = Map.groupBy(
          networks.flatMap((network) =>
            network[kind].map(({ code }) => ({ code, network: network.network })),
          ),
          ({ code }) => code,
        )
        for (const { network, [kind]: declared } of networks) {
          const own = Object.keys((await wordsOf(network, tag)).console[kind] ?? {})
          const needed = declared.map(({ code }) => code).filter((code) => !Object.hasOwn(common, code))
          assert.deepEqual(own.toSorted(), needed.toSorted(), `src/networks/${network}/words/${tag}.ts`)
          const shared = own.filter((code) => (declaring.get(code)?.length ?? 0) > 1)
          assert.deepEqual(shared, [], `several networks have them: src/locales/${tag}/codes`)
        }
        const ofContract = contractCodes[kind] ?? []
        const idle = Object.keys(common).filter((code) => !declaring.has(code) && !ofContract.includes(code))
        assert.deepEqual(idle, [], 'no network has them any longer')
      })
    }

    test(`for all networks, their fields and their test addresses, and for no others, in ${tag}`, async () => {
      assert.deepEqual(withNetworks.toSorted(), networks.map(({ network }) => network).toSorted())
      for (const network of networks) {
        const {
          labels,
          hints = {},
          test_addresses: addresses = {},
        } = (await wordsOf(network.network, tag)).console
        const fields = new Set(fieldsOf(network))
        const told = (own: object, common: object) => new Set([...Object.keys(own), ...Object.keys(common)])
        assert.deepEqual(told(labels, locales[tag].console.network_fields), fields, network.title)
        assert.deepEqual(told(hints, commonOf[tag].hints), fields, network.title)
        const rows = [...network.description.matchAll(/^\| `\w+@([\w-]+)\.[\w.]+` \|/gm)]
        assert.deepEqual(
          new Set(Object.keys(addresses)),
          new Set(rows.map(([, word]) => word)),
          network.title,
        )
      }
    })
  }
})

/** The codes of a network, with their sentences. */
const codesOf = (network: Network) => kinds.map((kind) => ({ ...network[kind] }))

/** The sentences about the fields of a form. */
const descriptionsOf = (schemas: readonly object[]) =>
  phrasesOf({ ...schemas })
    .filter(([key]) => /\.description$/.test(key))
    .map(([, phrase]) => phrase)

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The names of all fields of a network, also of those within others. */
function fieldsOf({ settings, credentials }: Network): string[] {
  const within = ({ properties = {} }: Schema): string[] =>
    Object.entries(properties).flatMap(([name, part]) => [name, ...within(part)])
  return [...within(settings), ...within(credentials)]
}

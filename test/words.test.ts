import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { operations } from '../src/contract/operations.ts'
import { readSourceTree, root } from './kit/source-tree.ts'

/*
 * The words of the house: names and comments that must be read twice. The table of terms in CONTRIBUTING.md says which word a
 * thing has; what its last column bans is found here.
 */

/** Made from the contract: its descriptions are for callers, and a description may begin with "Whether". */
const made = /^clients\/javascript\/src\/contract\//

const files = readSourceTree()
  .filter(({ path }) => !made.test(path))
  .map(({ path }) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
/**
 * The server and its command line. Pages in the browser are programs of their own, phrases have the same names in each language,
 * and a migration names what it makes as the table is named.
 */
const program = files.filter(
  ({ path }) => /^src\/(?!web\/|locales\/|store\/migrations\/)/.test(path) && !path.endsWith('.test.ts'),
)

/** Files that may export a name each, because the part that it names is the same in all of them. */
const alike: readonly (readonly [place: RegExp, reason: string])[] = [
  [/^src\/networks\/(?!driver\/|kit\/)[^/]+\//, 'each network has the same files with the same names'],
  [/^src\/contract\//, 'a resource has a schema and a type, and so have the values in it'],
]

/** Values of the contract, whose public names stay. */
const contractValues = new Set(['inbound', 'anyone'])

/** Names with "answer" or "reply" that are no responses: people answer, messages reply, and Fastify has a name of its own. */
const noResponses =
  /^(?:reply$|answer$|answerLink|AnswerLink|reply_window|outside_reply|answer_timeout|answers_missing|answers_not_read|invalid_answer|reply_to$|[a-z]+_reply$|ChoiceReply|FlowReply|multiple_answers)/

interface Comment {
  readonly line: number
  /** Without its marks, in one line. */
  readonly text: string
}

describe('words', () => {
  test('that the table of terms bans stand in no name and in no comment', () => {
    const banned = bannedWords()
    assert.ok(banned.size > 10, 'CONTRIBUTING.md has no table of terms')
    none(
      files.flatMap(({ path, text }) => [
        ...commentsOf(text).flatMap(({ line, text: comment }) =>
          [...banned].flatMap(([word, instead]) =>
            new RegExp(`\\b${word}\\b`, 'i').test(comment)
              ? [`${path}:${line} says "${word}": ${instead}`]
              : [],
          ),
        ),
        ...declaredNames(text).flatMap(({ name, line }) =>
          [...banned]
            .filter(([word]) => wordsOf(name).includes(word) && !contractValues.has(name))
            .map(([word, instead]) => `${path}:${line} calls something ${name}, with "${word}": ${instead}`),
        ),
      ]),
    )
  })

  test('at the start of a comment make a noun or a verb phrase of it', () => {
    const headless = /^(What|Who|Whose|Whom|Which|Whether|How|Where)\b/
    none(
      files.flatMap(({ path, text }) =>
        commentsOf(text)
          .filter(({ text: comment }) => headless.test(comment) && !comment.endsWith('?'))
          .map(
            ({ line, text: comment }) =>
              `${path}:${line} "${comment.slice(0, 60)}…" has no main verb: begin with a noun ("Milliseconds between …") or a verb ("Returns …")`,
          ),
      ),
    )
  })
})

describe('names', () => {
  test('of limits begin with max', () => {
    none(
      files.flatMap(({ path, text }) =>
        declaredNames(text)
          .filter(({ name }) => /^most[A-Z]/.test(name))
          .map(({ name, line }) => `${path}:${line} ${name}: call it max${name.slice('most'.length)}`),
      ),
    )
  })

  test('of what a server sends back over HTTP say response', () => {
    const http = /^src\/(?:server|net|contract|events\/delivery)\//
    none(
      program
        .filter(({ path }) => http.test(path))
        .flatMap(({ path, text }) =>
          declaredNames(text)
            .filter(({ name }) => !noResponses.test(name))
            .filter(({ name }) => wordsOf(name).some((word) => /^(?:answer|repl(?:y|ie))/.test(word)))
            .map(({ name, line }) => `${path}:${line} ${name}: say response`),
        ),
    )
  })

  test('that are exported mean one thing', () => {
    const exported = program.flatMap(({ path, text }) =>
      [
        ...new Set(
          [...text.matchAll(exportedName)].map(([, name = '']) => name).filter((name) => name !== ''),
        ),
      ].map((name) => ({ name, path })),
    )
    // An operation is one thing with one name in the contract, in its handler, in its transaction and as a command.
    const ids = new Set<string>(operations.map(({ id }) => id))
    const faults = [
      ...Map.groupBy(
        exported.filter(({ name }) => !ids.has(name)),
        ({ name }) => name,
      ),
    ].flatMap(([name, places]) => {
      const kinds = new Set(places.map(({ path }) => kindOf(path)))
      return kinds.size > 1
        ? [`${name} is exported by ${places.map(({ path }) => path).join(' and ')}: give each its own name`]
        : []
    })
    none(faults)
  })
})

const exportedName =
  /^export (?:declare |abstract |async )*(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm

/** The group of files that are alike, or the file itself. */
function kindOf(path: string): string {
  const at = alike.findIndex(([place]) => place.test(path))
  return at < 0 ? path : `alike ${at}`
}

/** The words in the last column of the table of terms, with the row's first as what to say instead. */
function bannedWords(): Map<string, string> {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, table = ''] = /^\| term \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(text) ?? []
  const rows = table.split('\n').filter((row) => row !== '')
  return new Map(
    rows.flatMap((row) => {
      const [, term = '', , never = ''] = row.split('|').map((cell) => cell.trim())
      return [...never.matchAll(/`([^`]+)`/g)].map(([, word = '']) => [word, `say ${term}`] as const)
    }),
  )
}

/** The names that a file declares: functions, classes, types, constants, and properties of types. */
function declaredNames(text: string): { name: string; line: number }[] {
  const declaration = /\b(?:function\*?|class|const|let|type|interface|enum) (\w+)/
  const property = /^\s+(?:readonly |async |static |private |override |get )*#?(\w+)\??(?:: |\()/
  return text.split('\n').flatMap((line, index) => {
    const name = declaration.exec(line)?.[1] ?? property.exec(line)?.[1]
    return name === undefined ? [] : [{ name, line: index + 1 }]
  })
}

/** The words of a name in camel case, in lower case. */
function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase())
}

/** The comments of a file, which begin on a line of their own or after a space. */
function commentsOf(text: string): Comment[] {
  const found: Comment[] = []
  const comment = /(?<=^|\s)(?:\/\*\*?\s([\s\S]*?)\*\/|\/\/ ([^\n]*(?:\n[ \t]*\/\/[^\n]*)*))/g
  for (const match of text.matchAll(comment)) {
    const said = (match[1] ?? match[2] ?? '').replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ').trim()
    found.push({ line: text.slice(0, match.index).split('\n').length, text: said })
  }
  return found
}

function none(faults: readonly string[]): void {
  assert.ok(faults.length === 0, `\n${faults.map((fault) => `  ${fault}`).join('\n')}\n`)
}

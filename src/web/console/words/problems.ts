import { inLanguage } from '../core/language.ts'
import type { MetProblem, ProblemWords } from './problem-words.ts'
import { requestProblems } from './request-problems.ts'
import { stateProblems } from './state-problems.ts'

const table: Readonly<Record<MetProblem, ProblemWords>> = { ...requestProblems, ...stateProblems }

/** What a problem means and what to do about it, in the language of the page. */
export interface ProblemText {
  readonly title: string
  readonly next: string
  /** The server's own sentences, which are English, add something. */
  readonly adds: boolean
}

/** The words for a problem; undefined for a code that only programs meet, or that is newer than the page. */
export function problemText(code: string): ProblemText | undefined {
  if (!Object.hasOwn(table, code)) return undefined
  const { title, next, adds = false } = table[code as MetProblem]
  return { title: inLanguage(title), next: inLanguage(next), adds }
}

import type { Poll } from '../../../../contract/resources/content.ts'

/** A poll as it is entered, with one answer on each line. */
export interface EnteredPoll {
  readonly question: string
  readonly options: string
  readonly several: boolean
}

export const emptyPoll: EnteredPoll = { question: '', options: '', several: false }

export function pollBody({ question, options, several }: EnteredPoll) {
  return {
    question: question.trim(),
    options: options.split('\n').flatMap((line) => line.trim() || []),
    ...(several ? { multiple_answers: true } : {}),
  }
}

export function enteredPoll({ question, options, multiple_answers }: Poll): EnteredPoll {
  return { question, options: options.join('\n'), several: multiple_answers }
}

import {
  type Organization,
  updateOrganization,
} from '../../../contract/operations/organization-operations.ts'
import { command, json, WrongUsage } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { operatorClient, operatorOptions } from '../../server-client.ts'
import { listed } from './contents.ts'

/** `posthorn organizations update`: the words about marketing that the instances of an organization have if they name none. */
export const updateOrganizationCommand = command({
  name: 'organizations update',
  summary: 'Set the words with which people stop and start marketing, for the instances of an organization.',
  operands: ['NAME'],
  options: {
    'stop-words': {
      type: 'string',
      value: 'WORDS',
      description: 'The words that stop marketing, separated by commas; an empty text for none.',
    },
    'start-words': {
      type: 'string',
      value: 'WORDS',
      description: 'The words that start it again, separated by commas; an empty text for none.',
    },
    ...{ ...operatorOptions, json },
  },
  async run({ operands: [organization = ''], options }) {
    const { 'stop-words': stop, 'start-words': start } = options
    if (stop === undefined && start === undefined)
      throw new WrongUsage('give --stop-words, --start-words, or both')
    const body = {
      ...(stop !== undefined && { stop_words: wordsIn(stop) }),
      ...(start !== undefined && { start_words: wordsIn(start) }),
    }
    const request = { params: { organization }, body }
    const { body: changed } = await operatorClient(options).call(updateOrganization, request)
    if (options.json) printJson(changed)
    else print(linesOf(changed).join('\n'))
  },
})

function wordsIn(text: string): string[] | null {
  const words = listed(text)
  return words.length > 0 ? words : null
}

function linesOf({ stop_words, start_words }: Organization): string[] {
  const shown = (words: readonly string[] | null) => words?.join(', ') || 'none'
  return [
    `Words that stop marketing: ${shown(stop_words)}`,
    `Words that start it again: ${shown(start_words)}`,
  ]
}

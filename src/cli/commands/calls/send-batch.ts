import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Static } from 'typebox'
import { sendMessageBatch } from '../../../contract/operations/content-operations.ts'
import type { BatchResult } from '../../../contract/problem-body.ts'
import type { SendBatch } from '../../../contract/resources/batch.ts'
import { command, json, Refusal, WrongUsage } from '../../command.ts'
import { explain, print, printJson } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { insist } from './insist.ts'

/** `posthorn messages batch`. A request that was not answered is repeated with its key, so that nothing is sent twice. */
export const batchCommand = command({
  name: 'messages batch',
  summary:
    'Send up to 100 messages from a JSON file: an array of messages as the API takes them, each with its type. - is standard input.',
  operands: ['FILE'],
  options: { ...serverOptions, json },
  async run({ operands: [file = ''], options }) {
    const body = { messages: messagesIn(file) }
    const { client } = serverClient(options)
    const idempotencyKey = randomUUID()
    const results = (await insist(() => client.call(sendMessageBatch, { body, idempotencyKey }))).body
    if (options.json) printJson(results)
    else results.data.forEach(report)
    if (results.refused > 0) process.exitCode = 1
  },
})

function report(result: BatchResult, at: number): void {
  if (result.message) print(`${result.message.id} ${result.message.status}`)
  else explain(`message ${at + 1} was refused: ${result.problem?.detail}`)
}

/** The messages of a file, which may be a whole body of the API, too. What is in them is checked by the server. */
function messagesIn(file: string): Static<typeof SendBatch>['messages'] {
  const text = textIn(file)
  try {
    const given = JSON.parse(text)
    const messages: unknown = given?.messages ?? given
    if (Array.isArray(messages)) return messages
  } catch {
    // A text that is no JSON is refused below.
  }
  throw new WrongUsage(
    `${file} is not a JSON array, such as [{"type": "text", "instance": …, "to": …, "text": …}]`,
  )
}

function textIn(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Refusal(`the file ${file} cannot be read: ${(error as Error).message}`)
  }
}

import { randomUUID } from 'node:crypto'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../contract/operations/following-operations.ts'
import { command, json, WrongUsage } from '../../command.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { insist, reportMessage, secondsToWait } from './insist.ts'

const once = () => ({ idempotencyKey: randomUUID(), waitSeconds: secondsToWait })

/** `posthorn messages react`: an emoji for a message that was sent or received. */
export const reactCommand = command({
  name: 'messages react',
  summary: 'React to a message with an emoji, or remove the reaction.',
  operands: ['ID'],
  options: {
    emoji: {
      type: 'string',
      value: 'EMOJI',
      description: 'The emoji. Without it, the reaction is removed.',
    },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [id = ''], options }) {
    const { client } = serverClient(options)
    const call = once()
    const body = { emoji: options.emoji ?? null }
    const sent = await insist(() => client.call(reactToMessage, { params: { id }, body, ...call }))
    reportMessage(sent.body, options.json)
  },
})

/** `posthorn messages edit`: another text for a message that was sent. */
export const editCommand = command({
  name: 'messages edit',
  summary: 'Replace the text of a message that you sent, or the caption of a file.',
  operands: ['ID'],
  options: {
    text: { type: 'string', value: 'TEXT', description: 'The new text.' },
    caption: { type: 'string', value: 'TEXT', description: 'The new caption of a file.' },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [id = ''], options }) {
    const { text, caption } = options
    if ((text === undefined) === (caption === undefined))
      throw new WrongUsage('give either --text or --caption')
    const { client } = serverClient(options)
    const call = once()
    const body = { ...(text !== undefined && { text }), ...(caption !== undefined && { caption }) }
    const sent = await insist(() => client.call(editMessage, { params: { id }, body, ...call }))
    reportMessage(sent.body, options.json)
  },
})

/** `posthorn messages retract`: removes a message that was sent, for everyone. */
export const retractCommand = command({
  name: 'messages retract',
  summary: 'Ask the network to remove a message that you sent, for everyone.',
  operands: ['ID'],
  options: { ...serverOptions, json },
  async run({ operands: [id = ''], options }) {
    const { client } = serverClient(options)
    const call = once()
    const sent = await insist(() => client.call(retractMessage, { params: { id }, body: {}, ...call }))
    reportMessage(sent.body, options.json)
  },
})

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { call } from './call'
import { listOf, type Operation, pathOf, sendingFields, sendingHeaders, textIn } from './sending'

const sendPlace: Operation = (functions, itemIndex) => {
  const { name, address } = functions.getNodeParameter('placeOptions', itemIndex, {}) as IDataObject
  return send(functions, itemIndex, 'location', {
    latitude: numberIn(functions, 'latitude', itemIndex),
    longitude: numberIn(functions, 'longitude', itemIndex),
    ...(name && { name }),
    ...(address && { address }),
  })
}

const sendContact: Operation = (functions, itemIndex) => {
  const phones = listIn(functions, 'phones', itemIndex)
  const emails = listIn(functions, 'emails', itemIndex)
  const name = textIn(functions, 'contactName', itemIndex)
  return send(functions, itemIndex, 'contacts', { contacts: [{ name, phones, emails }] })
}

const sendButtons: Operation = (functions, itemIndex) => {
  const { button = [] } = functions.getNodeParameter('buttons', itemIndex, {}) as {
    readonly button?: readonly { readonly id: string; readonly title: string }[]
  }
  const body = textIn(functions, 'body', itemIndex)
  const buttons = button.map(({ id, title }, at) => ({ id: id || String(at + 1), title }))
  return send(functions, itemIndex, 'interactive', { body, buttons })
}

const sendPoll: Operation = (functions, itemIndex) =>
  send(functions, itemIndex, 'poll', {
    question: textIn(functions, 'question', itemIndex),
    options: listIn(functions, 'answers', itemIndex),
    ...(functions.getNodeParameter('multipleAnswers', itemIndex, false) && { multiple_answers: true }),
  })

const react: Operation = (functions, itemIndex) =>
  follow(functions, itemIndex, 'reaction', { emoji: textIn(functions, 'emoji', itemIndex) || null })

const edit: Operation = (functions, itemIndex) =>
  follow(functions, itemIndex, 'edit', { text: textIn(functions, 'text', itemIndex) })

const retract: Operation = (functions, itemIndex) => follow(functions, itemIndex, 'retract', {})

export const contentOperations: Readonly<Record<string, Operation>> = {
  sendPlace,
  sendContact,
  sendButtons,
  sendPoll,
  react,
  edit,
  retract,
}

function send(functions: IExecuteFunctions, itemIndex: number, kind: string, content: IDataObject) {
  const body = { ...sendingFields(functions, itemIndex), ...content }
  const headers = sendingHeaders(functions, itemIndex)
  return call(functions, { method: 'POST', path: `/v1/messages/${kind}`, body, headers, itemIndex })
}

/** What follows a message goes where that went, so it has no recipient of its own. */
function follow(functions: IExecuteFunctions, itemIndex: number, order: string, body: IDataObject) {
  const path = `${pathOf(functions, itemIndex)}/${order}`
  const headers = sendingHeaders(functions, itemIndex)
  return call(functions, { method: 'POST', path, body, headers, itemIndex })
}

function numberIn(functions: IExecuteFunctions, name: string, itemIndex: number): number {
  return Number(functions.getNodeParameter(name, itemIndex, 0))
}

function listIn(functions: IExecuteFunctions, name: string, itemIndex: number): string[] {
  return listOf(functions.getNodeParameter(name, itemIndex, ''))
}

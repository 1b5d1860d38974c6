import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { call } from './call'
import { listOf, type Operation, pathOf, sendingFields, sendingHeaders, textIn } from './sending'

const sendLocation: Operation = (functions, itemIndex) => {
  const { name, address } = functions.getNodeParameter('locationOptions', itemIndex, {}) as IDataObject
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

const sendList: Operation = (functions, itemIndex) => {
  const rows = listIn(functions, 'rows', itemIndex).map((title, at) => ({ id: String(at + 1), title }))
  const list = { button: textIn(functions, 'listButton', itemIndex), sections: [{ rows }] }
  return send(functions, itemIndex, 'interactive', { body: textIn(functions, 'body', itemIndex), list })
}

/** Values fill the placeholders of the body in their order. Components are for those of the header and the buttons, too. */
const sendTemplate: Operation = (functions, itemIndex) => {
  const { value = [] } = functions.getNodeParameter('values', itemIndex, {}) as {
    readonly value?: readonly { readonly text: string }[]
  }
  const parameters = value.map(({ text }) => ({ type: 'text', text: String(text) }))
  const filled = parameters.length > 0 ? [{ type: 'body', parameters }] : []
  return send(functions, itemIndex, 'template', {
    name: textIn(functions, 'template', itemIndex),
    language: textIn(functions, 'language', itemIndex),
    components: [...filled, ...componentsIn(functions, itemIndex)],
  })
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
  sendLocation,
  sendContact,
  sendButtons,
  sendList,
  sendPoll,
  sendTemplate,
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

function componentsIn(functions: IExecuteFunctions, itemIndex: number): IDataObject[] {
  const given = functions.getNodeParameter('components', itemIndex, '')
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given || '[]') : given
    if (Array.isArray(value)) return value as IDataObject[]
  } catch {
    // Text that is no JSON is refused below.
  }
  throw new NodeOperationError(functions.getNode(), 'The components are no JSON array', { itemIndex })
}

function numberIn(functions: IExecuteFunctions, name: string, itemIndex: number): number {
  return Number(functions.getNodeParameter(name, itemIndex, 0))
}

function listIn(functions: IExecuteFunctions, name: string, itemIndex: number): string[] {
  return listOf(functions.getNodeParameter(name, itemIndex, ''))
}

import type { SendInteractive } from '../../../contract/resources/sending.ts'
import { WrongUsage } from '../../command.ts'

/** Flags that send something else than a text or a file; only one of them is given. */
export const contentOptions = {
  location: {
    type: 'string',
    value: 'LATITUDE,LONGITUDE',
    description: 'A location, in degrees; add --name and --address if you like.',
  },
  name: { type: 'string', value: 'NAME', description: 'The name of the location or of the contact.' },
  address: { type: 'string', value: 'ADDRESS', description: 'The postal address of the location.' },
  phone: {
    type: 'string',
    value: 'NUMBERS',
    description: 'The phone numbers of a contact, separated by commas; --name is the contact.',
  },
  email: {
    type: 'string',
    value: 'ADDRESSES',
    description: 'The email addresses of a contact, separated by commas.',
  },
  poll: {
    type: 'string',
    value: 'ANSWERS',
    description: 'A poll: its answers, separated by commas; --text is the question.',
  },
  buttons: {
    type: 'string',
    value: 'TITLES',
    description: 'Buttons below --text, separated by commas. Their ids are 1, 2, 3 and so on.',
  },
  list: {
    type: 'string',
    value: 'ROWS',
    description:
      'A list below --text, separated by commas, which --list-button opens. The ids of the rows are 1, 2, 3 and so on.',
  },
  'list-button': { type: 'string', value: 'TITLE', description: 'The words on the button of --list.' },
  'url-button': {
    type: 'string',
    value: 'TITLE=URL',
    description: 'A button below --text that opens a page.',
  },
  template: {
    type: 'string',
    value: 'NAME',
    description:
      'The name of a template of the account; add --language and, if it has placeholders, --values.',
  },
  language: { type: 'string', value: 'TAG', description: 'The language of the template, such as en_US.' },
  values: {
    type: 'string',
    value: 'NAME=VALUE,…',
    description: 'The texts for the placeholders of the body, such as 1=4711,2=Monday.',
  },
} as const

type Given = { readonly [Flag in keyof typeof contentOptions]: string | undefined } & {
  readonly text: string | undefined
}

/** Flags that belong to some of the things that can be sent, with the flags of those. */
const goesWith = {
  text: ['poll', 'buttons', 'list', 'url-button'],
  caption: ['file'],
  kind: ['file'],
  name: ['location', 'phone', 'email'],
  address: ['location'],
  'list-button': ['list'],
  language: ['template'],
  values: ['template'],
} as const
const things = [
  ...(['file', 'location', 'phone', 'email', 'poll', 'buttons', 'list', 'url-button'] as const),
  ...(['template', 'text'] as const),
]

/** Throws `WrongUsage` for a flag that what is sent has no room for, so that nothing that was typed is dropped. */
export function refuseDropped(given: Readonly<Record<string, unknown>>): void {
  const isGiven = (flag: string) => given[flag] !== undefined
  const sent = things.find(isGiven)
  for (const [flag, owners] of Object.entries(goesWith)) {
    if (!isGiven(flag) || flag === sent || owners.some(isGiven)) continue
    throw new WrongUsage(
      sent === undefined
        ? `--${flag} goes only with ${owners.map((owner) => `--${owner}`).join(' or ')}`
        : `--${flag} and --${sent} do not go together`,
    )
  }
}

/** A content besides texts and files, as the body of its operation without the fields of every request. */
export type GivenContent =
  | { readonly kind: 'location'; readonly body: ReturnType<typeof placeOf> }
  | { readonly kind: 'contacts'; readonly body: { readonly contacts: ReturnType<typeof cardOf>[] } }
  | { readonly kind: 'poll'; readonly body: { readonly question: string; readonly options: string[] } }
  | { readonly kind: 'buttons' | 'list' | 'url-button'; readonly body: ReturnType<typeof choicesOf> }
  | { readonly kind: 'template'; readonly body: ReturnType<typeof templateOf> }

/** Returns the content that flags describe; undefined if they describe none. Throws `WrongUsage` for two of them. */
export function contentOfFlags(given: Given): GivenContent | undefined {
  const { location, phone, email, poll, buttons, list, 'url-button': urlButton, template } = given
  const isCard = phone !== undefined || email !== undefined
  const others = [location, poll, buttons, list, urlButton, template].filter((flag) => flag !== undefined)
  if (others.length + (isCard ? 1 : 0) > 1) throw new WrongUsage(onlyOne)
  if (location !== undefined) return { kind: 'location', body: placeOf(location, given) }
  if (isCard) return { kind: 'contacts', body: { contacts: [cardOf(given)] } }
  if (poll !== undefined)
    return { kind: 'poll', body: { question: asked(given, '--poll'), options: listed(poll) } }
  if (buttons !== undefined)
    return { kind: 'buttons', body: choicesOf(given, '--buttons', { buttons: choices(buttons) }) }
  if (list !== undefined) return { kind: 'list', body: choicesOf(given, '--list', listOf(list, given)) }
  if (urlButton !== undefined)
    return { kind: 'url-button', body: choicesOf(given, '--url-button', urlButtonOf(urlButton)) }
  if (template !== undefined) return { kind: 'template', body: templateOf(template, given) }
  return undefined
}

const onlyOne =
  'give only one of --location, --phone or --email, --poll, --buttons, --list, --url-button and --template'

function placeOf(location: string, { name, address }: Given) {
  const [latitude = Number.NaN, longitude = Number.NaN, ...more] = location.split(',').map(Number)
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude) || more.length > 0)
    throw new WrongUsage('--location is two numbers, such as -23.5614,-46.6559')
  return {
    latitude,
    longitude,
    ...(name !== undefined && { name }),
    ...(address !== undefined && { address }),
  }
}

function cardOf({ name, phone, email }: Given) {
  if (name === undefined) throw new WrongUsage('a contact needs its --name')
  return {
    name,
    ...(phone !== undefined && { phones: listed(phone) }),
    ...(email !== undefined && { emails: listed(email) }),
  }
}

type Choices = Pick<SendInteractive, 'buttons' | 'list' | 'url_button'>

const choicesOf = (given: Given, flag: string, offered: Choices) => ({ body: asked(given, flag), ...offered })

const choices = (titles: string) => listed(titles).map((title, index) => ({ id: String(index + 1), title }))

function listOf(rows: string, { 'list-button': button }: Given): Choices {
  if (button === undefined) throw new WrongUsage('--list needs the words that open it as --list-button')
  return { list: { button, sections: [{ rows: choices(rows) }] } }
}

function urlButtonOf(given: string): Choices {
  const [, title, url] = /^([^=]+)=(.+)$/s.exec(given) ?? []
  if (title === undefined || url === undefined)
    throw new WrongUsage('--url-button is a title and a URL, such as "Track it=https://example.org/4711"')
  return { url_button: { title: title.trim(), url: url.trim() } }
}

function templateOf(name: string, { language, values }: Given) {
  if (language === undefined) throw new WrongUsage('--template needs its --language, such as en_US')
  if (values === undefined) return { name, language }
  return { name, language, components: [{ type: 'body', parameters: parametersOf(values) }] }
}

/** Placeholders have numbers, which come in their order, or names. A comma is part of a value unless a name and `=` follow. */
function parametersOf(values: string) {
  const given = values.split(/,(?=\s*\w+=)/).map((each) => /^\s*(\w+)=(.*)$/s.exec(each))
  const named = given.flatMap((parts) => (parts ? [{ name: parts[1] ?? '', text: parts[2] ?? '' }] : []))
  if (named.length < given.length || new Set(named.map(({ name }) => name)).size < named.length)
    throw new WrongUsage('--values is a list such as 1=4711,2=Monday, with each placeholder once')
  if (!named.every(({ name }) => /^\d+$/.test(name)))
    return named.map(({ name, text }) => ({ type: 'text', parameter_name: name, text }))
  const inOrder = named.toSorted((one, other) => Number(one.name) - Number(other.name))
  if (inOrder.some(({ name }, index) => Number(name) !== index + 1))
    throw new WrongUsage('--values with numbers has all of them, from 1 on')
  return inOrder.map(({ text }) => ({ type: 'text', text }))
}

function asked({ text }: Given, flag: string): string {
  if (text === undefined) throw new WrongUsage(`${flag} needs the question as --text`)
  return text
}

/** Returns the entries of a list that is separated by commas. */
export const listed = (text: string) => text.split(',').flatMap((each) => each.trim() || [])

import { WrongUsage } from '../../command.ts'

/** Flags that send something else than a text or a file; only one of them is given. */
export const contentOptions = {
  location: {
    type: 'string',
    value: 'LATITUDE,LONGITUDE',
    description: 'A place, in degrees; --name and --address go with it.',
  },
  name: { type: 'string', value: 'NAME', description: 'The name of the place or of the contact.' },
  address: { type: 'string', value: 'ADDRESS', description: 'The postal address of the place.' },
  phone: {
    type: 'string',
    value: 'NUMBERS',
    description: 'The phone numbers of a contact, by commas; --name goes with them.',
  },
  email: { type: 'string', value: 'ADDRESSES', description: 'The email addresses of a contact, by commas.' },
  poll: { type: 'string', value: 'ANSWERS', description: 'A poll: its answers, by commas; --text asks.' },
  buttons: {
    type: 'string',
    value: 'TITLES',
    description: 'Buttons below --text, by commas. The ids of the buttons are 1, 2, 3 and so on.',
  },
} as const

type Given = { readonly [Flag in keyof typeof contentOptions]: string | undefined } & {
  readonly text: string | undefined
}

/** Flags that belong to some of the things that can be sent, with the flags of those. */
const goesWith = {
  text: ['poll', 'buttons'],
  caption: ['file'],
  kind: ['file'],
  name: ['location', 'phone', 'email'],
  address: ['location'],
} as const
const things = ['file', 'location', 'phone', 'email', 'poll', 'buttons', 'text'] as const

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
  | { readonly kind: 'buttons'; readonly body: ReturnType<typeof questionOf> }

/** Returns the content that flags describe; undefined if they describe none. Throws `WrongUsage` for two of them. */
export function contentOfFlags(given: Given): GivenContent | undefined {
  const { location, phone, email, poll, buttons } = given
  const isCard = phone !== undefined || email !== undefined
  const ways = [location !== undefined, isCard, poll !== undefined, buttons !== undefined]
  const count = ways.filter(Boolean).length
  if (count > 1) throw new WrongUsage('give only one of --location, --phone or --email, --poll and --buttons')
  if (location !== undefined) return { kind: 'location', body: placeOf(location, given) }
  if (isCard) return { kind: 'contacts', body: { contacts: [cardOf(given)] } }
  if (poll !== undefined)
    return { kind: 'poll', body: { question: asked(given, '--poll'), options: listed(poll) } }
  if (buttons !== undefined) return { kind: 'buttons', body: questionOf(buttons, given) }
  return undefined
}

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

function questionOf(buttons: string, given: Given) {
  const titles = listed(buttons)
  return {
    body: asked(given, '--buttons'),
    buttons: titles.map((title, index) => ({ id: String(index + 1), title })),
  }
}

function asked({ text }: Given, flag: string): string {
  if (text === undefined) throw new WrongUsage(`${flag} needs the question as --text`)
  return text
}

/** Returns the entries of a list that is separated by commas. */
export const listed = (text: string) => text.split(',').flatMap((each) => each.trim() || [])

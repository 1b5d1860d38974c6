import type { InvalidValue } from '../../contract/problem.ts'
import type {
  SendContacts,
  SendInteractive,
  SendLocation,
  SendPoll,
} from '../../contract/resources/sending.ts'
import type { ContentToSend, Driver } from '../../networks/driver/driver.ts'
import { isBlank } from '../../runtime/text/blank.ts'
import { needs } from './sending-abilities.ts'

/*
 * The faults of contents that the network would reject, by its limits. What is missing is said by the contract.
 */

export function locationFaults(body: Partial<SendLocation>, driver: Driver): InvalidValue[] {
  const able = needs(driver, 'location', '/latitude')
  if (able.length > 0) return able
  const { latitude, longitude, name = null, address = null } = body
  const isWhole = latitude !== undefined && longitude !== undefined
  return [
    ...words(driver, [
      ['/name', body.name],
      ['/address', body.address],
    ]),
    ...(isWhole
      ? unfit(driver, name === null ? '/name' : '/address', {
          location: { latitude, longitude, name, address },
        })
      : []),
  ]
}

/** The fault of a content that the network cannot carry, though it is within the limits. */
function unfit(driver: Driver, pointer: string, content: ContentToSend): InvalidValue[] {
  const detail = driver.contentFault?.(content) ?? null
  return detail === null ? [] : [{ pointer, code: 'not_supported', detail }]
}

export function contactFaults({ contacts = [] }: Partial<SendContacts>, driver: Driver): InvalidValue[] {
  const able = needs(driver, 'contacts', '/contacts')
  if (able.length > 0) return able
  const cards = contacts.map(({ name, phones = [], emails = [], company = null }) => {
    return { name, phones, emails, company }
  })
  const unrepresentable = contacts.flatMap(({ name, phones = [], emails = [], company }, index) =>
    words(driver, [
      [`/contacts/${index}/name`, name],
      [`/contacts/${index}/company`, company],
      ...[...phones, ...emails].map((line): [string, string] => [`/contacts/${index}`, line]),
    ]),
  )
  const names = contacts.map(({ name }, index): [string, string] => [`/contacts/${index}/name`, name])
  return [
    ...blank(names),
    ...unrepresentable,
    ...(cards.length > 0 ? unfit(driver, '/contacts', { contacts: cards }) : []),
  ]
}

/** With `isWhole`, that none or more than one of the ways to choose is given is a fault, too. */
export function interactiveFaults(
  { header, body, footer, buttons, list, url_button: urlButton }: Partial<SendInteractive>,
  driver: Driver,
  isWhole = false,
): InvalidValue[] {
  const { interactive: limits } = driver.limits
  const given = [buttons, list, urlButton].filter((way) => way !== undefined).length
  const rows = list?.sections.flatMap((section) => section.rows) ?? []
  const choices = [...(buttons ?? []), ...rows]
  const wrong = given > 1 || (isWhole && given === 0) ? [oneWay] : []
  const unable = [
    ...(buttons ? needs(driver, 'buttons', '/buttons') : []),
    ...(list ? needs(driver, 'list', '/list') : []),
    ...(urlButton ? needs(driver, 'url_button', '/url_button') : []),
    ...(header === undefined ? [] : needs(driver, 'interactive_header', '/header')),
    ...(footer === undefined ? [] : needs(driver, 'interactive_footer', '/footer')),
  ]
  if (wrong.length + unable.length > 0) return [...wrong, ...unable]
  return [
    ...tooMany('/buttons', buttons?.length, limits.buttons, 'buttons'),
    ...tooMany('/list/sections', rows.length, limits.list_rows, 'rows in all sections'),
    ...tooLong('/body', body, limits.body_characters),
    ...(buttons ?? []).flatMap(({ title }, index) =>
      tooLong(`/buttons/${index}/title`, title, limits.button_characters),
    ),
    ...tooLong('/url_button/title', urlButton?.title, limits.button_characters),
    ...tooLong('/list/button', list?.button, limits.button_characters),
    ...sectionFaults(list, limits),
    ...idFaults(choices, limits.id_bytes, buttons ? '/buttons' : '/list'),
    ...unfit(driver, buttons ? '/buttons' : '/list', {
      interactive: { ...(buttons && { buttons }), ...(list && { list }) },
    }),
    ...blank([
      ['/body', body],
      ...choices.map((choice): [string, string] => [buttons ? '/buttons' : '/list', choice.title]),
      ['/list/button', list?.button],
      ['/url_button/title', urlButton?.title],
    ]),
    ...words(driver, [
      ['/header', header],
      ['/body', body],
      ['/footer', footer],
      ...choices.map((choice): [string, string] => [buttons ? '/buttons' : '/list', choice.title]),
    ]),
  ]
}

const oneWay: InvalidValue = {
  pointer: '',
  code: 'exactly_one',
  detail: 'Give exactly one of `buttons`, `list` and `url_button`.',
}

function sectionFaults(
  list: SendInteractive['list'],
  limits: Driver['limits']['interactive'],
): InvalidValue[] {
  const sections = list?.sections ?? []
  return sections.flatMap(({ title, rows }, index) => {
    const pointer = `/list/sections/${index}`
    const untitled = sections.length > 1 && title === undefined
    return [
      ...(untitled
        ? [{ pointer: `${pointer}/title`, code: 'missing', detail: 'Give each section a title.' }]
        : []),
      ...tooLong(`${pointer}/title`, title, limits.row_characters),
      ...rows.flatMap((row, place) => [
        ...tooLong(`${pointer}/rows/${place}/title`, row.title, limits.row_characters),
        ...tooLong(
          `${pointer}/rows/${place}/description`,
          row.description,
          limits.row_description_characters,
        ),
      ]),
    ]
  })
}

/** Ids come back with the reply, so each names one choice. */
function idFaults(
  choices: readonly { readonly id: string }[],
  bytes: number,
  pointer: string,
): InvalidValue[] {
  const ids = choices.map(({ id }) => id)
  const twice = new Set(ids).size < ids.length
  const long = ids.some((id) => Buffer.byteLength(id) > bytes)
  return [
    ...(twice ? [{ pointer, code: 'not_unique', detail: 'Give each choice an `id` of its own.' }] : []),
    ...(long
      ? [{ pointer, code: 'too_long', detail: `An \`id\` may have at most ${bytes} bytes of UTF-8.` }]
      : []),
  ]
}

export function pollFaults({ question, options = [] }: Partial<SendPoll>, driver: Driver): InvalidValue[] {
  const able = needs(driver, 'poll', '/question')
  if (able.length > 0) return able
  const { poll_options, poll_option_characters, poll_question_characters } = driver.limits
  const said = [
    ['/question', question] as const,
    ...options.map((option, index) => [`/options/${index}`, option] as const),
  ]
  return [
    ...tooMany('/options', options.length, poll_options, 'answers'),
    ...tooLong('/question', question, poll_question_characters),
    ...options.flatMap((option, index) => tooLong(`/options/${index}`, option, poll_option_characters)),
    ...blank(said),
    ...words(driver, said),
  ]
}

function tooMany(pointer: string, count = 0, most: number, what: string): InvalidValue[] {
  if (count <= most) return []
  return [{ pointer, code: 'too_many', detail: `The network takes at most ${most} ${what}.` }]
}

/** Characters are Unicode characters: an emoji is one. */
function tooLong(pointer: string, text: string | undefined, most: number): InvalidValue[] {
  if (text === undefined || text.length <= most || [...text].length <= most) return []
  return [{ pointer, code: 'too_long', detail: `The network takes at most ${most} characters here.` }]
}

/** Words of a request, each with its place. */
type Said = readonly (readonly [pointer: string, text: string | undefined])[]

/** The faults of words by which people are to choose, and of which they would see nothing. */
function blank(given: Said): InvalidValue[] {
  const detail = 'Nothing of this can be seen. Write words that people can read.'
  return given.flatMap(([pointer, text]) =>
    text !== undefined && isBlank(text) ? [{ pointer, code: 'wrong_form', detail }] : [],
  )
}

/** The faults of words that the network cannot carry. */
function words(driver: Driver, given: Said): InvalidValue[] {
  return given.flatMap(([pointer, text]) => {
    const detail = text === undefined ? null : driver.textFault(text, 'text')
    return detail === null ? [] : [{ pointer, code: 'text_not_representable', detail }]
  })
}

import type { Interactive } from '../../../../contract/resources/content.ts'
import type { Network } from '../operations.ts'

const ways = ['buttons', 'list', 'url_button'] as const
export type Way = (typeof ways)[number]

/** A button or a row as it is entered. */
export interface EnteredChoice {
  readonly title: string
  /** The second line of a row. */
  readonly description: string
  readonly payload: string
}

/** A part of a list; the buttons of a message are one, too. */
export interface EnteredSection {
  readonly title: string
  readonly choices: readonly EnteredChoice[]
}

/** A text with buttons, a list or a link, as it is entered. */
export interface EnteredQuestion {
  /** Empty for the first way that the network has. */
  readonly way: Way | ''
  readonly body: string
  readonly header: string
  readonly footer: string
  readonly sections: readonly EnteredSection[]
  /** The words on the button that opens the list, or a page. */
  readonly button: string
  readonly url: string
}

export const emptyChoice: EnteredChoice = { title: '', description: '', payload: '' }
export const emptySection: EnteredSection = { title: '', choices: [emptyChoice] }
export const emptyQuestion: EnteredQuestion = {
  ...{ way: '', body: '', header: '', footer: '', button: '', url: '' },
  sections: [{ title: '', choices: [emptyChoice, emptyChoice] }],
}

/** The ways in which an account of a network can ask. */
export function waysToAsk({ abilities: { sends } }: Network): readonly Way[] {
  return ways.filter((way) => sends.includes(way))
}

/** The way that is entered, or else the first that the network has. */
export function wayOf({ way }: EnteredQuestion, network: Network | undefined): Way {
  const possible = network ? waysToAsk(network) : ways
  return possible.find((each) => each === way) ?? possible[0] ?? 'buttons'
}

export function questionBody(entered: EnteredQuestion, network: Network | undefined) {
  const { body, header, footer, button, url } = entered
  const given = sectionsIn(entered)
  const choice = {
    buttons: () => ({
      buttons: given.flatMap(({ rows }) => rows.map(({ description: _, ...chosen }) => chosen)),
    }),
    list: () => ({ list: { button: button.trim(), sections: given } }),
    url_button: () => ({ url_button: { title: button.trim(), url: url.trim() } }),
  }[wayOf(entered, network)]()
  return {
    ...(header.trim() ? { header: header.trim() } : {}),
    body: body.trim(),
    ...(footer.trim() ? { footer: footer.trim() } : {}),
    ...choice,
  }
}

/** The sections and their rows that have words, with ids by their order. */
function sectionsIn({ sections }: EnteredQuestion) {
  let count = 0
  return sections.flatMap(({ title, choices }) => {
    const rows = choices.flatMap((choice) => {
      if (choice.title.trim() === '') return []
      count += 1
      return {
        id: String(count),
        title: choice.title.trim(),
        ...(choice.description.trim() ? { description: choice.description.trim() } : {}),
        ...(choice.payload.trim() ? { payload: choice.payload.trim() } : {}),
      }
    })
    return rows.length > 0 ? { ...(title.trim() ? { title: title.trim() } : {}), rows } : []
  })
}

export function enteredQuestion(question: Interactive): EnteredQuestion {
  const { header = '', body, footer = '', buttons, list, url_button } = question
  const sections = list?.sections ?? (buttons ? [{ title: '', rows: buttons }] : [])
  return {
    ...{ header, body, footer, button: list?.button ?? url_button?.title ?? '', url: url_button?.url ?? '' },
    way: list ? 'list' : url_button ? 'url_button' : 'buttons',
    sections:
      sections.length === 0
        ? emptyQuestion.sections
        : sections.map(({ title = '', rows }) => ({
            title,
            choices: rows.map((row) => ({ ...emptyChoice, ...row })),
          })),
  }
}

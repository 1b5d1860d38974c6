import type { Message } from '../../../../contract/resources/message.ts'
import type { Network } from '../operations.ts'
import { cardBody, type EnteredCard, emptyCard, enteredCard } from './card.ts'
import { type EnteredPlace, emptyPlace, enteredPlace, placeBody } from './place.ts'
import { type EnteredPoll, emptyPoll, enteredPoll, pollBody } from './poll.ts'
import { type EnteredQuestion, emptyQuestion, enteredQuestion, questionBody, waysToAsk } from './question.ts'

/** The contents besides texts, files and templates that a person can compose, as they are entered. */
export interface EnteredContents {
  readonly location: EnteredPlace
  readonly contacts: EnteredCard
  readonly poll: EnteredPoll
  readonly interactive: EnteredQuestion
}

export type ContentKind = keyof EnteredContents

export const contentKinds: readonly ContentKind[] = ['location', 'contacts', 'poll', 'interactive']

export const emptyContents: EnteredContents = {
  location: emptyPlace,
  contacts: emptyCard,
  poll: emptyPoll,
  interactive: emptyQuestion,
}

/** The operations that send them. */
export const contentOperations = {
  location: 'sendLocationMessage',
  contacts: 'sendContactsMessage',
  poll: 'sendPollMessage',
  interactive: 'sendInteractiveMessage',
} as const satisfies Record<ContentKind, string>

/** Returns the fields of the request that sends what was entered. */
export function contentBody(kind: ContentKind, entered: EnteredContents, network: Network | undefined) {
  const bodies = {
    location: () => placeBody(entered.location),
    contacts: () => cardBody(entered.contacts),
    poll: () => pollBody(entered.poll),
    interactive: () => questionBody(entered.interactive, network),
  }
  return bodies[kind]()
}

/** Returns the content of a message as it would be entered, to send it anew. */
export function enteredContents({ location, contacts, poll, interactive }: Message): EnteredContents {
  return {
    location: location ? enteredPlace(location) : emptyPlace,
    contacts: enteredCard(contacts?.[0]),
    poll: poll ? enteredPoll(poll) : emptyPoll,
    interactive: interactive ? enteredQuestion(interactive) : emptyQuestion,
  }
}

/** Returns the contents that an account of a network can send. */
export function contentKindsOf(network: Network): readonly ContentKind[] {
  const { sends } = network.abilities
  const isSent = (kind: ContentKind) =>
    kind === 'interactive' ? waysToAsk(network).length > 0 : sends.includes(kind)
  return contentKinds.filter(isSent)
}

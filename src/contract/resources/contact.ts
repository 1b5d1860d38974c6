import type { Static } from 'typebox'
import { moment, oneOf, orNull, PictureUrl, page, record } from '../scalars.ts'
import { marketingChoices } from '../statuses.ts'
import Type from '../type.ts'

export const Contact = record(
  'Contact',
  {
    address: Type.String({
      description: 'The most permanent address of the person, which identifies the contact.',
      examples: ['ana@delivers.sandbox'],
    }),
    aliases: Type.Array(Type.String(), {
      description: 'Other addresses of the same person, as far as the network has given them.',
    }),
    name: orNull(
      Type.String({
        description: 'The name that the newest message of the person came with; null if there was none.',
        examples: ['Ana Lima'],
      }),
    ),
    username: orNull(
      Type.String({ description: 'The public name on the network, if it is known.', examples: ['ana_lima'] }),
    ),
    picture_url: Type.Optional(PictureUrl),
    marketing: orNull(
      oneOf(marketingChoices, {
        title: 'MarketingChoice',
        description:
          'Whether the person wants marketing from the account, as they last said: to their network, or with one of `stop_words` and ' +
          '`start_words` of the instance. `opted_out`: a message from a template for marketing is refused. Null if they said nothing.',
      }),
    ),
    marketing_changed_at: orNull(moment('When they said it.')),
    last_message_at: orNull(
      moment('When the last message of the conversation was accepted or received; null if there is none.'),
    ),
    being_forgotten: Type.Boolean({
      description: 'True while the messages of the person are being erased. After that, the contact is gone.',
    }),
  },
  'A person known to an instance, with the names that the network and their messages give.',
)
export type Contact = Static<typeof Contact>

export const ContactPage = page('ContactPage', Contact)

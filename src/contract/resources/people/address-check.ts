import type { Static } from 'typebox'
import { moment, oneOf, orNull, record } from '../../scalars.ts'
import Type from '../../type.ts'

/** Addresses that one request may ask about. */
export const maxChecked = 50

export const CheckAddressesBody = record('CheckAddressesBody', {
  addresses: Type.Array(
    Type.String({ minLength: 1, maxLength: 1024, description: 'An address, in the form of the network.' }),
    { minItems: 1, maxItems: maxChecked, description: 'The addresses to ask about.' },
  ),
})

export const CheckedAddressEntry = record(
  'CheckedAddress',
  {
    input: Type.String({ description: 'The address as you gave it.', examples: ['+49 151 12345678'] }),
    address: orNull(
      Type.String({
        description:
          'The normalized address. If the network knows the person under another address than you gave, it is that one. Null if you ' +
          'gave nothing that can be an address of the network.',
        examples: ['+4915112345678'],
      }),
    ),
    exists: oneOf(['yes', 'no', 'unknown'], {
      title: 'AddressExists',
      description:
        'Whether the network says that a person has this address. `unknown` if it does not say, or was not asked because `address` is null. A person who has an address may still get ' +
        'no messages, for example because they blocked the account.',
    }),
    checked_at: orNull(
      moment(
        'When the network said so: answers are kept, `yes` for a day and `no` for an hour. Null if it said nothing.',
      ),
    ),
  },
  'What the network said about an address.',
)

export const CheckedAddresses = record('CheckedAddresses', {
  data: Type.Array(CheckedAddressEntry, {
    description: 'The result for each address, in the order of the request.',
  }),
})
export type CheckedAddresses = Static<typeof CheckedAddresses>

export const ShowTypingBody = record('ShowTypingBody', {
  to: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The address of the person or group, in the form of the network.',
    examples: ['ana@example.org'],
  }),
  topic: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The topic in which it is to be shown, by the `topic.id` of a message there.',
      examples: ['42'],
    }),
  ),
  seconds: Type.Integer({
    minimum: 1,
    maximum: 30,
    description: 'The time for which it is shown, unless you send a message earlier.',
    examples: [5],
  }),
})

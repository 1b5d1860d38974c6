import type { Static } from 'typebox'
import { callerMoment, InstanceName, id, moment, oneOf, orNull, record } from '../scalars.ts'
import { roles } from '../statuses.ts'
import Type from '../type.ts'

/** A name is shown in terminals and lists: no control characters, and none that change the direction of a text. */
export const readableNamePattern =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$'

const Role = oneOf(roles, {
  title: 'Role',
  description: 'What the key may do: `read` reads, `send` also sends, `admin` does everything.',
})

const instances = Type.Array(InstanceName, {
  minItems: 1,
  maxItems: 200,
  uniqueItems: true,
  description: 'The names of the instances that the key is limited to: it can see and use no others.',
  examples: [['support']],
})

const shown = {
  id: id('key', 'Identifies the key.'),
  name: orNull(
    Type.String({ description: 'A name for people; null if it has none.', examples: ['Order system'] }),
  ),
  hint: Type.String({
    description: 'The first characters of the key, by which people tell keys apart.',
    examples: ['phk_7h2k9x'],
  }),
  role: Role,
  instances: orNull(instances),
  created_at: moment('When it was created.'),
  expires_at: orNull(moment('When it expires; null if it does not.')),
  last_used_at: orNull(moment('When it was last used, to the hour; null if it never was.')),
  revoked_at: orNull(moment('When it was revoked; null if it was not.')),
}

export const Key = record(
  'Key',
  shown,
  'A key of an organization, without the secret itself, which is not stored.',
)
export type Key = Static<typeof Key>

export const CreatedKey = record(
  'CreatedKey',
  {
    ...shown,
    key: Type.String({
      description:
        'The key itself. The server shows it only this once, and does not store it: keep it where you keep your secrets.',
      examples: [`phk_${'0'.repeat(59)}`],
    }),
  },
  'A key that was just created.',
)

export const CreateKey = record('CreateKey', {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: readableNamePattern,
      description: 'A name for people. It need not be unique.',
      examples: ['Order system'],
    }),
  ),
  role: Role,
  instances: Type.Optional(instances),
  expires_at: Type.Optional(
    callerMoment(
      'When it expires: at most ten years ahead. By default, it expires when the key that creates it does, if ever.',
    ),
  ),
})
export type CreateKey = Static<typeof CreateKey>

export const exampleKey: Key = {
  id: 'key_06fdw2n0q8me4t1c9z7rk5hsab',
  name: 'Order system',
  hint: 'phk_7h2k9x',
  role: 'send',
  instances: ['support'],
  created_at: '2026-11-20T09:30:00.000Z',
  expires_at: '2027-11-20T09:30:00.000Z',
  last_used_at: '2026-11-20T10:00:00.000Z',
  revoked_at: null,
}

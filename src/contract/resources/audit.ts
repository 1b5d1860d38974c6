import type { Static } from 'typebox'
import { InstanceName, id, moment, oneOf, orNull, page, record } from '../scalars.ts'
import Type from '../type.ts'

const Actor = record(
  'AuditActor',
  {
    kind: oneOf(['key', 'operator'], {
      title: 'AuditActorKind',
      description:
        '`key`: a caller with that API key, or the visitor of a link page that it created. `operator`: a user of the ' +
        "server's command line, or a caller with the operator's token.",
    }),
    key: orNull(id('key', 'The id of the key; null for the operator.')),
    hint: orNull(
      Type.String({
        description: 'The first characters of the key; null for the operator.',
        examples: ['phk_7h2k9x'],
      }),
    ),
  },
  'The party that did it.',
)

export const AuditEntry = record(
  'AuditEntry',
  {
    id: id('aud', 'Identifies the entry.'),
    timestamp: moment('When it was done.'),
    actor: Actor,
    action: Type.String({
      description:
        'The action: an `operationId` of this contract; `signIn` or `signOut`, for a browser in the console; or, for the ' +
        'operator, `createOrganization`, `createKey`, `revokeKey`, `sendQueue` or `failQueue` (for messages held after a ' +
        'restore), `backup` or `restore`.',
      examples: ['deleteInstance'],
    }),
    target: orNull(
      Type.String({
        description: 'The object of the action: an id, or the name of an instance. Null if there is none.',
        examples: ['support'],
      }),
    ),
    instance: orNull(InstanceName),
    result: Type.String({
      description: '`done`, or the code of the problem with which it was refused.',
      examples: ['done'],
    }),
    address: orNull(
      Type.String({
        description: 'The address of the caller, as far as the server knows it; null at the command line.',
      }),
    ),
    request_id: orNull(
      Type.String({ description: 'The `Request-Id` of the request; null at the command line.' }),
    ),
  },
  'An action of a key or of the operator, carried out or refused.',
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = page('AuditPage', AuditEntry)

/** The audit log entry of an action: prepared before the action, and stored in the transaction that carries it out. */
export interface AuditNote {
  readonly id: string
  readonly organizationId: string
  /** Null for the operator. */
  readonly key: { readonly id: string; readonly hint: string } | null
  readonly action: string
  readonly target: string | null
  readonly instance: string | null
  readonly address: string | null
  readonly requestId: string | null
  readonly at: number
}

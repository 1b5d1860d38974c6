import { sentencesOf } from '../../../contract/codes.ts'
import type { GroupAnswer } from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { type ErrorCode, errors } from '../codes.ts'
import { attribute, conditionIn, ns, ownEntryOf, type Xml } from '../stanzas/xml.ts'

/** The error of an account that a room does not let in, or of something that a room refuses. */
export type RoomFault = NetworkError

/** XEP-0045 section 7.2 names the conditions with which rooms refuse to let an account in. */
const codes: Readonly<Record<string, ErrorCode>> = {
  conflict: 'room_nick_taken',
  forbidden: 'room_forbidden',
  gone: 'room_not_found',
  'item-not-found': 'room_not_found',
  'jid-malformed': 'room_not_found',
  'not-acceptable': 'room_refused',
  'not-allowed': 'room_forbidden',
  'not-authorized': 'room_password',
  'registration-required': 'room_members_only',
  'remote-server-not-found': 'remote_server_not_found',
  'remote-server-timeout': 'remote_server_timeout',
  'resource-constraint': 'room_full',
  'service-unavailable': 'room_full',
}

/** Those that pass by themselves. */
const passing = new Set<ErrorCode>([
  'remote_server_not_found',
  'remote_server_timeout',
  'room_full',
  'room_nick_taken',
  'room_silent',
])

/** The error in a stanza of type `error`. */
export function roomFaultIn(stanza: Xml): RoomFault {
  const error = stanza.getChild('error')
  const condition = conditionIn(error, ns.stanzaErrors) ?? 'undefined-condition'
  const code = ownEntryOf(codes, condition) ?? 'room_refused'
  const waits = error !== undefined && attribute(error, 'type') === 'wait'
  return { ...roomFault(code), permanent: !waits && !passing.has(code), network_code: condition }
}

export function roomFault(code: ErrorCode): RoomFault {
  return { code, detail: sentencesOf(errors[code]), permanent: !passing.has(code) }
}

export function refusedBy(error: RoomFault): GroupAnswer<never> {
  return { kind: 'rejected', error }
}

export function noAnswer(mayBeDone: boolean): GroupAnswer<never> {
  return { kind: 'unanswered', detail: 'The room did not answer in time.', mayBeDone }
}

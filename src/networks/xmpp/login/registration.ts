import { XmppError } from '../errors.ts'
import { conditionIn, element, ns, type Xml } from '../stanzas/xml.ts'
import type { Stream } from '../stream/stream.ts'
import { askStream } from '../stream/stream.ts'
import type { Login } from './sasl.ts'

/**
 * Creates the account on a stream that is not logged in yet (XEP-0077 section 3.1). Answers `taken` if an account of this
 * name exists; only its password can show whether it is ours.
 */
export async function register(stream: Stream, login: Login): Promise<'registered' | 'taken'> {
  const form = await askStream(stream, 'get', 'registration-form', element('query', { xmlns: ns.register }))
  if (form.attrs.type === 'error') throw refusal(form)
  const query = form.getChild('query', ns.register)
  if (!query?.getChild('username') || !query.getChild('password')) {
    throw new XmppError('registration_needs_a_person')
  }
  const answer = await askStream(
    stream,
    'set',
    'registration',
    element(
      'query',
      { xmlns: ns.register },
      element('username', {}, login.username),
      element('password', {}, login.password),
    ),
  )
  if (answer.attrs.type === 'result') return 'registered'
  if (conditionIn(answer.getChild('error'), ns.stanzaErrors) === 'conflict') return 'taken'
  throw refusal(answer)
}

/** The request that deletes the account one is logged in to (XEP-0077 section 3.2). */
export function unregistration(id: string): string {
  const query = element('query', { xmlns: ns.register }, element('remove'))
  return element('iq', { type: 'set', id }, query).toString()
}

/** `wait` is a limit on registrations that passes; every other refusal stays until the operator of the server acts. */
function refusal(answer: Xml): XmppError {
  const error = answer.getChild('error')
  const condition = conditionIn(error, ns.stanzaErrors) ?? 'undefined-condition'
  if (error?.attrs.type === 'wait') return new XmppError('registration_deferred', condition)
  const unavailable = new Set(['service-unavailable', 'feature-not-implemented', 'not-allowed', 'forbidden'])
  return new XmppError(
    unavailable.has(condition) ? 'registration_not_offered' : 'registration_refused',
    condition,
  )
}

import { randomBytes } from 'node:crypto'
import type { ConnectContext } from '../../driver/connection.ts'
import { XmppError } from '../errors.ts'
import { copiesWanted } from '../incoming/carbons.ts'
import { XmppSession } from '../session/session.ts'
import type { Account } from '../settings.ts'
import { type ArchiveSupport, archiveSupportIn } from '../stanzas/discovery.ts'
import { isFromServer } from '../stanzas/stanza-sender.ts'
import { attribute, conditionIn, element, ns, type Xml } from '../stanzas/xml.ts'
import { type ExtraAuthorities, secured } from '../stream/dial.ts'
import { earlyStanzas } from '../stream/limits.ts'
import { askStream, type Stream, until } from '../stream/stream.ts'
import { register } from './registration.ts'
import { authenticate, type DeriveKeys } from './sasl.ts'

/**
 * The resource is the same on every connection of an account: a connection that the server still believes in is replaced
 * by its successor, and receipts addressed to the one before reach the one after.
 */
const resource = 'posthorn'

export interface LoggedIn {
  readonly session: XmppSession
  readonly resumed: boolean
  /** Stanzas that came before the session began to count. */
  readonly early: readonly Xml[]
}

type Context = Pick<ConnectContext, 'credentials' | 'share' | 'signal'> & {
  readonly account: Account
  readonly ca: ExtraAuthorities
  readonly derive: DeriveKeys
}

/** From an open socket to a session: encryption, registration, login, and then resumption or a new resource. */
export async function logIn(stream: Stream, context: Context, before: XmppSession | null): Promise<LoggedIn> {
  const features = await encrypted(stream, context)
  await identify(stream, features, context)
  stream.authenticated()
  const offered = await stream.open()
  const managed = offered.getChild('sm', ns.management) !== undefined
  if (before?.resumptionId && managed) {
    if (await resumed(stream, before)) return { session: before, resumed: true, early: [] }
  }
  before?.concede(undefined)
  return await begin(stream, context, managed)
}

/** Opens the stream and sees to it that it is encrypted before anything else is said. RFC 6120 section 5. */
async function encrypted(stream: Stream, { account, ca, signal }: Context): Promise<Xml> {
  const features = await stream.open()
  if (stream.secure) return features
  const offer = features.getChild('starttls', ns.tls)
  if (account.plaintext && !offer?.getChild('required')) return features
  if (!offer) {
    throw new XmppError('encryption_required')
  }
  stream.send(element('starttls', { xmlns: ns.tls }).toString())
  const answer = await stream.next()
  if (!answer.is('proceed', ns.tls)) throw new XmppError('tls_failed', 'the server could not begin it')
  await stream.upgrade((plain) => secured(plain, account.domain, ca, signal))
  return await stream.open()
}

/** Logs in. If the account is to be registered and does not exist yet, registers it first. */
async function identify(stream: Stream, features: Xml, context: Context): Promise<void> {
  const { account, credentials, derive } = context
  const proof = { exposed: account.plaintext, derive }
  const known = credentials.read().password
  if (typeof known === 'string') {
    const login = { username: account.local, password: known }
    try {
      return await authenticate(stream, features, login, proof)
    } catch (caught) {
      // A password that was saved and an account that does not exist: a crash came between saving and registering.
      const refused = caught instanceof XmppError && caught.reason.code === 'not_authorized'
      if (!refused || !account.register) throw caught
      if ((await register(stream, login)) === 'taken') throw caught
      await credentials.save({ ...credentials.read(), registered: true })
      return await authenticate(stream, features, login, proof)
    }
  }
  if (!account.register) {
    throw new XmppError('password_missing')
  }
  const login = { username: account.local, password: randomBytes(32).toString('base64url') }
  // Saved first: an account with a lost password would be worse than a password without an account. It can already be marked
  // as ours: no account of another owner opens with a password that was made just now.
  await credentials.save({ ...credentials.read(), password: login.password, registered: true })
  if ((await register(stream, login)) === 'taken') throw new XmppError('address_taken')
  await authenticate(stream, features, login, proof)
}

/** XEP-0198 section 5: resumes the session of the broken connection. False if the server refuses. */
async function resumed(stream: Stream, session: XmppSession): Promise<boolean> {
  const h = String(session.handled)
  stream.send(element('resume', { xmlns: ns.management, previd: session.resumptionId ?? '', h }).toString())
  const answer = await until(stream, (arrived) => isOneOf(arrived, 'resumed', 'failed'))
  if (answer.is('failed')) {
    session.concede(attribute(answer, 'h'))
    return false
  }
  session.acknowledge(attribute(answer, 'h'))
  for (const xml of session.unacknowledged()) stream.send(xml)
  return true
}

/**
 * Binds a resource (RFC 6120 section 7), finds out what comes in there and how, and enables stream management if the
 * server has it.
 */
async function begin(stream: Stream, { account, share }: Context, managed: boolean): Promise<LoggedIn> {
  const early: Xml[] = []
  const keep = (other: Xml) => {
    if (early.push(other) > earlyStanzas) throw new XmppError('login_too_long')
  }
  const session = new XmppSession(account.address, share.holding('outgoing'))
  const wanted = element('bind', { xmlns: ns.bind }, element('resource', {}, resource))
  let bound = await askStream(stream, 'set', 'bind', wanted, keep)
  if (bound.attrs.type === 'error') {
    // The server lets no two connections have one resource and keeps the other: let it choose a resource.
    bound = await askStream(stream, 'set', 'bind-any', element('bind', { xmlns: ns.bind }), keep)
  }
  const jid = bound.getChild('bind', ns.bind)?.getChildText('jid')
  if (!jid) {
    const condition = conditionIn(bound.getChild('error'), ns.stanzaErrors) ?? 'undefined-condition'
    throw new XmppError('no_resource', condition)
  }
  session.archiveSupport = await archiveSupportOf(stream, account.address, keep)
  stream.send(copiesWanted())
  if (managed) {
    stream.send(element('enable', { xmlns: ns.management, resume: 'true' }).toString())
    const answer = await until(stream, (arrived) => isOneOf(arrived, 'enabled', 'failed'), keep)
    if (answer.is('enabled')) session.manage(answer)
  }
  return { session, resumed: false, early }
}

/** Asks the account itself (XEP-0030) what becomes of the messages to it. */
async function archiveSupportOf(
  stream: Stream,
  address: string,
  keep: (other: Xml) => void,
): Promise<ArchiveSupport> {
  // The resource exists by now, so any sender may forge an answer; none but the server can know this id.
  const id = randomBytes(12).toString('base64url')
  const question = element('query', { xmlns: ns.discoInfo })
  stream.send(element('iq', { type: 'get', id, to: address }, question).toString())
  const answers = (arrived: Xml) =>
    arrived.name === 'iq' && arrived.attrs.id === id && isFromServer(arrived, address)
  return archiveSupportIn(await until(stream, answers, keep))
}

function isOneOf(arrived: Xml, ...names: readonly string[]): boolean {
  return names.some((name) => arrived.is(name, ns.management))
}

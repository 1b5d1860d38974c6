import { invalid, Problem } from '../../contract/problem.ts'
import type { AuditNote } from '../../contract/resources/audit.ts'
import type { StartLink } from '../../contract/resources/instance.ts'
import type { AnswerOutcome, LinkWay } from '../../networks/driver/abilities/linking.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { noteAction } from '../../organizations/audit-log.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { StoreForAll } from '../../store/store.ts'
import { readConnectionSecrets } from '../connection/connection-store.ts'
import type { InstanceContext } from '../context.ts'
import type { InstanceRow } from '../instance.ts'
import { orderInstance } from '../instance-store.ts'

/** Tasks of the runner of an instance, on whichever node it runs; undefined if the instance is gone. */
interface LinkTasks {
  ask(instance: string, task: 'link', way: LinkWay): Promise<boolean | undefined>
  ask(instance: string, task: 'answer-link', answer: string): Promise<AnswerOutcome | undefined>
}

type Context = Pick<InstanceContext, 'clock' | 'networks' | 'secrets'> & {
  readonly store: StoreForAll
  readonly supervisor: LinkTasks
}

interface Beginning {
  readonly audit: () => AuditNote | undefined
  /** The problem of who asks if the instance is gone. */
  readonly missing: 'instance_not_found' | 'link_page_not_found'
}

/** Begins to link the account of an instance in this way; throws the problem of one that cannot be linked so, or now. */
export async function beginLink(
  context: Context,
  row: InstanceRow,
  way: LinkWay,
  { audit, missing }: Beginning,
): Promise<void> {
  await refuseUnlinkable(context, row, way.kind)
  const { id, name, organization_id: organization } = row
  const order = { organization, name, id, wanted: 'running' } as const
  const ordered = await context.store.transact(
    orderInstance,
    {
      ...order,
      now: context.clock.now(),
      audit: audit(),
    },
    { party: organization },
  )
  if (ordered.kind === 'not_found') throw new Problem(missing)
  if (ordered.kind === 'deleting') throw new Problem('instance_deleting')
  // A person may have linked it a moment ago.
  if (!(await context.supervisor.ask(ordered.id, 'link', way))) throw new Problem('already_linked')
}

/** Passes on what a person answered while the account is linked; throws the problem if nothing is asked, or the network does not take it. */
export async function passAnswer(
  { store, supervisor }: Context,
  { id, organization_id: party }: Pick<InstanceRow, 'id' | 'organization_id'>,
  answer: string,
  audit: () => AuditNote | undefined,
): Promise<void> {
  // The network carries it out, not a transaction: so it is noted before, and a refusal afterwards.
  await store.transact(noteAction, { note: audit() }, { party })
  const outcome = await supervisor.ask(id, 'answer-link', answer)
  if (!outcome || outcome.kind === 'not_asked') throw new Problem('link_not_asking')
  if (outcome.kind === 'uncertain') throw new Problem('instance_not_connected')
  if (outcome.kind === 'rejected') throw new Problem('network_refused', { detail: outcome.error.detail })
}

/** Throws the problem of an instance whose account cannot be linked in this way, or in none of them, or is linked. */
export async function refuseUnlinkable(
  context: Context,
  row: InstanceRow,
  kind?: LinkWay['kind'],
): Promise<void> {
  if (row.wanted === 'removed') throw new Problem('instance_deleting')
  const driver = context.networks.get(row.network)
  const kinds = linkKindsOf(driver)
  if (!driver || (kind ? !kinds.includes(kind) : kinds.length === 0)) {
    const detail =
      kinds.length > 0
        ? `The network can link an account by the kind ${kinds.map((known) => `\`${known}\``).join(' or ')}.`
        : 'Accounts of this network are not linked. An instance needs only credentials.'
    throw new Problem('link_kind_not_supported', { detail })
  }
  if (await isLinked(context, driver, row)) throw new Problem('already_linked')
}

/** The ways in which a person can begin to link an account of the network. */
export function linkKindsOf(driver: Driver | undefined): LinkWay['kind'][] {
  return driver?.linking?.kinds.filter((known) => known === 'qr' || known === 'code') ?? []
}

/**
 * Resolves with true if the account is linked, as far as this server can know. An account whose credentials the network has
 * refused is not.
 */
async function isLinked(
  { store, secrets }: Context,
  driver: Driver,
  { id, organization_id: party, status, settings }: InstanceRow,
): Promise<boolean> {
  if (status === 'connected') return true
  if (status === 'awaiting_link' || status === 'logged_out') return false
  const stored = await store.read(readConnectionSecrets, { id }, { party })
  if (!stored || !driver.linking) return false
  try {
    return driver.linking.isLinked(JSON.parse(settings), secrets.openCredentials(id, stored.credentials))
  } catch (error) {
    // The connection says what is to be done about credentials that do not open.
    if (error instanceof SealBroken) return false
    throw error
  }
}

/**
 * Returns the way in which a person wants to link the account, from their request; throws the problem of a phone number that
 * does not fit.
 */
export function linkWayOf({ kind = 'qr', phone }: StartLink): LinkWay {
  if (kind === 'qr') {
    if (phone === undefined) return { kind }
    const detail =
      'A QR code needs no phone number. Leave it out, or send `kind` `code` for a code to type in.'
    throw invalid({ pointer: '/phone', code: 'requires_kind_code', detail })
  }
  if (phone === undefined) {
    const detail = 'A code works only in the app on one phone: send the number of that phone.'
    throw invalid({ pointer: '/phone', code: 'missing', detail })
  }
  return { kind, phone: digitsOf(phone) }
}

/** The digits of a phone number with its country code; E.164 has at most 15. */
function digitsOf(phone: string): string {
  const digits = phone.trim().replace(/^\+/, '').replace(/[ .-]/g, '')
  if (/^[1-9]\d{6,14}$/.test(digits)) return digits
  const detail =
    'Send the number with its country code, for example `+49 151 12345678`: 7 to 15 digits, the first of which is not 0; `+`, spaces, ' +
    'dots and hyphens are ignored.'
  throw invalid({ pointer: '/phone', code: 'wrong_form', detail })
}

import type { Caller, LinkPageCaller } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { LinkPageView } from '../../contract/resources/link-page.ts'
import type { LinkStep } from '../../networks/driver/abilities/linking.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { InstanceContext } from '../context.ts'
import { type InstanceRow, renderLink } from '../instance.ts'
import type { InstanceReader } from '../instance-reader.ts'
import { linkKindsOf } from './link-way.ts'

type Context = Pick<InstanceContext, 'secrets' | 'clock' | 'networks'> & { readonly reader: InstanceReader }

/** A link page that calls, its instance, and what a person has to do now. */
export interface LinkPageReading {
  readonly page: LinkPageCaller
  readonly row: InstanceRow
  readonly step: LinkStep | null
}

/** Reads the present state of a caller's page; throws the problem of a page whose instance is gone. */
export async function readLinkPage(context: Context, caller: Caller): Promise<LinkPageReading> {
  const page = pageOf(caller)
  const { reader, secrets, clock } = context
  const found = await reader.find(caller.organizationId, page.instanceName)
  // Another instance may have the name by now.
  if (found?.row.id !== page.instanceId || found.row.wanted === 'removed')
    throw new Problem('link_page_not_found')
  const { row, link } = found
  const isAsked = row.status === 'awaiting_link' && link !== null && !page.isLinked
  const step = isAsked ? secrets.openLink(row.id, link) : null
  return { page, row, step: step && step.expires_at > clock.now() ? step : null }
}

/** The same, if the page still opens something. */
export async function readLivingPage(context: Context, caller: Caller): Promise<LinkPageReading> {
  if (pageOf(caller).isLinked) throw new Problem('link_page_not_found')
  return readLinkPage(context, caller)
}

/** Returns the content of the page: nothing of the organization but the title that it gave, and nothing of the account. */
export function renderLinkPage(
  { networks }: Pick<Context, 'networks'>,
  { page, row, step }: LinkPageReading,
): LinkPageView {
  const driver = networks.get(row.network)
  return {
    title: page.title,
    has_picture: page.hasPicture,
    language: page.language,
    network: driver?.title ?? row.network,
    kinds: linkKindsOf(driver),
    state: page.isLinked ? 'linked' : states[row.status],
    step: step && renderLink(step),
    expires_at: timestamp(page.expiresAt),
  }
}

const states: Readonly<Record<InstanceStatus, LinkPageView['state']>> = {
  connecting: 'linking',
  awaiting_link: 'linking',
  reconnecting: 'linking',
  connected: 'linked',
  stopped: 'ready',
  logged_out: 'ready',
  failed: 'failed',
  deleting: 'failed',
}

function pageOf({ linkPage }: Caller): LinkPageCaller {
  if (!linkPage) throw new Error('only a link page calls this')
  return linkPage
}

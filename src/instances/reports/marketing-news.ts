import { longestRejection, longestTemplateWord } from '../../contract/resources/template.ts'
import { fitAddresses } from '../../messages/inbox/incoming-message.ts'
import { recordChoice } from '../../messages/marketing/choose.ts'
import { noteCategories, recordTemplate } from '../../messages/marketing/known-templates.ts'
import type {
  AccountNews,
  MarketingChoiceMade,
  TemplateCategorized,
  TemplateChanged,
} from '../../networks/driver/account-news.ts'
import { cutText } from '../../networks/kit/received-text.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { InstanceContext } from '../context.ts'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'log'> & {
  /** Addresses of people that an organization may have. */
  readonly incomingCapacity?: { readonly limit: number | null }
}

type MarketingNews = TemplateCategorized | TemplateChanged | MarketingChoiceMade

const kinds = [
  'template-categorized',
  'template-changed',
  'marketing-choice',
] as const satisfies MarketingNews['kind'][]

export function isAboutMarketing(news: AccountNews): news is MarketingNews {
  return kinds.some((kind) => kind === news.kind)
}

/** Keeps what the network told of templates, and of people who want marketing or not. Resolves as `ConnectContext.report`. */
export async function keepMarketingNews(
  context: Context,
  instanceId: string,
  news: MarketingNews,
): Promise<boolean> {
  try {
    if (news.kind === 'template-changed') await keepTemplate(context, instanceId, news)
    else if (news.kind === 'template-categorized') await keepCategory(context, instanceId, news)
    else await keepChosen(context, instanceId, news)
    return true
  } catch (error) {
    // A network that repeats what was not stored tells it again.
    const isAway = error instanceof StoreUnavailable
    if (!isAway)
      context.log.error({ err: error, instance_id: instanceId }, 'could not store news of an account')
    return false
  }
}

async function keepTemplate(
  { store, clock }: Context,
  instanceId: string,
  told: TemplateChanged,
): Promise<void> {
  const { name, language, status, category = null, network_status, rejected_reason } = told
  const word = (text: string | null) => text && cutText(text, longestTemplateWord)
  const news = {
    name,
    language,
    status,
    category: word(category),
    network_status: word(network_status),
    rejected_reason: rejected_reason && cutText(rejected_reason, longestRejection),
  }
  await store.transact(recordTemplate, { instanceId, news, now: clock.now() })
}

async function keepCategory(
  { store, clock }: Context,
  instanceId: string,
  { name, language, category }: TemplateCategorized,
): Promise<void> {
  const templates = [{ name, language, category: cutText(category, longestTemplateWord) }]
  await store.transact(noteCategories, { instanceId, templates, now: clock.now() })
}

async function keepChosen(
  { store, clock, incomingCapacity }: Context,
  instanceId: string,
  { address: told, choice, at }: MarketingChoiceMade,
): Promise<void> {
  const now = clock.now()
  const [address] = fitAddresses([told])
  if (address === undefined) return
  const chosen = { choice, source: 'network', changed_at: Math.min(at, now) } as const
  await store.transact(recordChoice, {
    instanceId,
    address,
    chosen,
    now,
    limit: incomingCapacity?.limit ?? null,
  })
}

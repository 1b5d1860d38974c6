import type { AccountNews } from '../../networks/driver/account-news.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { InstanceContext } from '../context.ts'
import { GroupNews } from '../groups/group-news.ts'
import type { InstanceToRun } from '../instance.ts'
import { isAboutMarketing, keepMarketingNews } from './marketing-news.ts'
import { TypingPace } from './typing-pace.ts'

type Receiver = Pick<InstanceToRun, 'id' | 'organization_id' | 'name'>

type Context = InstanceContext & { readonly incomingCapacity: { readonly limit: number | null } }

/** Tells the organization of an instance what its network says besides messages. */
export class NewsKeeper {
  readonly #context: Context
  readonly #receiver: Receiver
  readonly #share: Pick<Share, 'holding'>
  /** Created when the first group changes: of ten thousand instances, few are in groups. */
  #groups: GroupNews | undefined
  /** Created when the first person is seen to type. */
  #typing: TypingPace | undefined

  constructor(context: Context, receiver: Receiver, share: Pick<Share, 'holding'>) {
    this.#context = context
    this.#receiver = receiver
    this.#share = share
  }

  /** Resolves as `ConnectContext.report`. */
  async take(news: AccountNews): Promise<boolean> {
    const { id, organization_id: organization } = this.#receiver
    if (isAboutMarketing(news)) return await keepMarketingNews(this.#context, id, news)
    if (news.kind === 'group-changed') {
      this.#groups ??= new GroupNews(this.#context, id, this.#share.holding('incoming'))
      return await this.#groups.take(news)
    }
    if (this.#context.typingNotices.isWanted(organization)) this.#pace.take(news)
    return true
  }

  /** Tries a last time to store what is held. */
  async end(): Promise<void> {
    await this.#groups?.end()
  }

  get #pace(): TypingPace {
    const { clock, typingNotices } = this.#context
    const { id, name, organization_id: organization } = this.#receiver
    this.#typing ??= new TypingPace(this.#context, ({ conversation, from, state }) =>
      typingNotices.seen({
        organization,
        instance: { id, name },
        conversation,
        from,
        state,
        at: clock.now(),
      }),
    )
    return this.#typing
  }
}

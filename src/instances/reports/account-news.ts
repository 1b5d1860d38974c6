import type { AccountNews } from '../../networks/driver/account-news.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { InstanceContext } from '../context.ts'
import { GroupNews } from '../groups/group-news.ts'
import type { Receiver } from './incoming-buffer.ts'
import { keepMarketingNews } from './marketing-news.ts'

type Context = InstanceContext & { readonly incomingCapacity: { readonly limit: number | null } }

/** Tells the organization of an instance what its network says besides messages. */
export class NewsKeeper {
  readonly #context: Context
  readonly #receiver: Pick<Receiver, 'id'>
  readonly #share: Pick<Share, 'holding'>
  /** Created when the first group changes: of ten thousand instances, few are in groups. */
  #groups: GroupNews | undefined

  constructor(context: Context, receiver: Pick<Receiver, 'id'>, share: Pick<Share, 'holding'>) {
    this.#context = context
    this.#receiver = receiver
    this.#share = share
  }

  /** Resolves as `ConnectContext.report`. */
  async take(news: AccountNews): Promise<boolean> {
    const { id } = this.#receiver
    if (news.kind === 'template-changed' || news.kind === 'marketing-choice')
      return await keepMarketingNews(this.#context, id, news)
    if (news.kind === 'group-changed') {
      this.#groups ??= new GroupNews(this.#context, id, this.#share.holding('incoming'))
      return await this.#groups.take(news)
    }
    this.#context.log.debug({ instance_id: id, kind: news.kind }, 'heard of the account')
    return true
  }

  /** Tries a last time to store what is held. */
  async end(): Promise<void> {
    await this.#groups?.end()
  }
}

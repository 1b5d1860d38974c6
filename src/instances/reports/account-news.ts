import type { AccountNews } from '../../networks/driver/account-news.ts'
import type { InstanceContext } from '../context.ts'
import type { Receiver } from './incoming-buffer.ts'
import { keepMarketingNews } from './marketing-news.ts'

/** Tells the organization of an instance what its network says besides messages. */
export class NewsKeeper {
  readonly #context: InstanceContext
  readonly #receiver: Omit<Receiver, 'replyWindow'>

  constructor(context: InstanceContext, receiver: Omit<Receiver, 'replyWindow'>) {
    this.#context = context
    this.#receiver = receiver
  }

  /** Resolves as `ConnectContext.report`. */
  async take(news: AccountNews): Promise<boolean> {
    if (news.kind === 'template-changed' || news.kind === 'marketing-choice')
      return await keepMarketingNews(this.#context, this.#receiver.id, news)
    this.#context.log.debug({ instance_id: this.#receiver.id, kind: news.kind }, 'heard of the account')
    return true
  }
}

/** So many at once, paid back at this pace. */
export interface Limit {
  readonly burst: number
  readonly perSecond: number
}

/** Messages that may be sent; null does not limit. */
export interface Limits {
  readonly bot: Limit | null
  /** In every chat. */
  readonly chat: Limit | null
  /** In every group, too. */
  readonly group: Limit | null
}

/** Near what Telegram names: 30 a second, 1 a second in a chat with short bursts, 20 a minute in a group. */
export const usualLimits: Limits = {
  bot: { burst: 30, perSecond: 30 },
  chat: { burst: 5, perSecond: 1 },
  group: { burst: 20, perSecond: 20 / 60 },
}

export class RateLimits {
  limits: Limits = usualLimits
  readonly #buckets = new Map<string, { left: number; at: number }>()

  /** Counts a message at this time in milliseconds. Returns 0, or in how many seconds it would be taken; then it is not counted. */
  take(now: number, bot: number, chat: number, isGroup: boolean): number {
    const buckets = [
      { key: `bot ${bot}`, limit: this.limits.bot },
      { key: `chat ${bot} ${chat}`, limit: this.limits.chat },
      { key: `group ${bot} ${chat}`, limit: isGroup ? this.limits.group : null },
    ]
    const counted = buckets.flatMap(({ key, limit }) => (limit ? [this.#bucket(key, limit, now)] : []))
    const wait = Math.max(0, ...counted.map(({ bucket, limit }) => (1 - bucket.left) / limit.perSecond))
    if (wait > 0) return Math.ceil(wait)
    for (const { bucket } of counted) bucket.left -= 1
    return 0
  }

  #bucket(key: string, limit: Limit, now: number) {
    const bucket = this.#buckets.get(key) ?? { left: limit.burst, at: now }
    bucket.left = Math.min(limit.burst, bucket.left + ((now - bucket.at) / 1000) * limit.perSecond)
    bucket.at = now
    this.#buckets.set(key, bucket)
    return { bucket, limit }
  }
}

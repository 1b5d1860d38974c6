import type { ConnectContext } from '../../driver/connection.ts'
import type { KeyChange } from '../../driver/keys.ts'
import { type Close, disconnectOf } from '../disconnects.ts'
import { isLinked, linkedAs, unlinked } from '../settings.ts'

/** Milliseconds that unlinking may take: a worker waits for WhatsApp for less, and says so, unless it stands still. */
const unlinkTime = 12_000

/** The client whose link it is. */
export interface LinkedClient {
  /** Resolves to whether the connection opened, once that is known. */
  readonly opened: Promise<boolean>
  /** True if WhatsApp confirmed that the device is unlinked. */
  logOut(): Promise<boolean>
  /** The connection ended while the device was to be unlinked, and it was not. */
  ended(close: Close): void
}

/** The link of an instance to its account, as one connection makes, uses and ends it. */
export class LinkState {
  /** True if the connection began with a link. A request for a new one gives up the rest of an earlier one. */
  readonly wasThere: boolean
  readonly #context: Pick<ConnectContext, 'credentials' | 'keys'>
  readonly #client: LinkedClient
  /** Settles when nothing is left of an earlier link. */
  #emptied: Promise<void> | null = null
  #isUnlinking = false
  /** The end of the connection while the device was being unlinked. */
  #lastClose: Close | null = null

  constructor(
    context: Pick<ConnectContext, 'settings' | 'credentials' | 'keys' | 'link'>,
    client: LinkedClient,
  ) {
    const { settings, credentials, link } = context
    this.wasThere = link === undefined && isLinked(settings, credentials.read())
    this.#context = context
    this.#client = client
  }

  /** Stores keys. A link that ended in a crash may have left some, which must not be taken for those of a new one. */
  async setKeys(changes: readonly KeyChange[]): Promise<void> {
    const { keys } = this.#context
    if (!this.wasThere) this.#emptied ??= keys.clear()
    await this.#emptied
    await keys.set(changes)
  }

  /** A phone has linked the account, as this device. */
  async begin(device: string): Promise<void> {
    const { credentials } = this.#context
    await credentials.save(linkedAs(credentials.read(), device))
  }

  /** The connection ended. True if the device is just being unlinked, which ends it, too: then `unlink` decides what that means. */
  takeEnd(close: Close): boolean {
    if (this.#isUnlinking) this.#lastClose = close
    return this.#isUnlinking
  }

  /** Unlinks the device as soon as the connection is open. False if it does not open, or as `unlink` says. */
  async remove(): Promise<boolean> {
    return (await this.#client.opened) && (await this.unlink())
  }

  /** True if WhatsApp has unlinked the device, and what is left of the link is forgotten. Never rejects. */
  async unlink(): Promise<boolean> {
    this.#isUnlinking = true
    let isUnlinked = false
    try {
      const answered = await this.#answered()
      // WhatsApp may end the connection of a device that is gone before it answers.
      if (!answered && !saysUnlinked(this.#lastClose)) return false
      await this.forget()
      isUnlinked = true
      return true
    } catch {
      return false
    } finally {
      this.#isUnlinking = false
      if (!isUnlinked && this.#lastClose) this.#client.ended(this.#lastClose)
    }
  }

  /** Forgets what is stored of the link: it is worth nothing any longer. */
  async forget(): Promise<void> {
    const { keys, credentials } = this.#context
    await credentials.save(unlinked(credentials.read()))
    await keys.clear()
  }

  async #answered(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => late.resolve(false), unlinkTime)
    try {
      return await Promise.race([this.#client.logOut(), late.promise])
    } catch {
      return false
    } finally {
      clearTimeout(timer)
    }
  }
}

function saysUnlinked(close: Close | null): boolean {
  const disconnect = close && disconnectOf(close)
  return disconnect?.kind === 'ended' && disconnect.code === 'logged_out'
}

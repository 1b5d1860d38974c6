/** Whose limit was reached. */
export type MemoryScope = 'connection' | 'organization' | 'server'

/** How much memory may be held of what others send, in bytes: for one instance, for all of an organization, and for all. */
export interface MemoryLimits {
  readonly connection: number
  readonly organization: number
  readonly server: number
}

/** What is held: data from a network that still has to be handled or stored, or data that the network still has to read. */
export type HoldingKind = 'incoming' | 'outgoing'

/** The memory that one part of the program holds for an instance. */
export interface Holding {
  /** Holds so many bytes from now on. */
  set(bytes: number): void
  add(bytes: number): void
  /** Holds nothing from now on. */
  end(): void
}

/** The instances of one organization. */
interface Organization {
  held: number
  /** How much of that came in. */
  incoming: number
  readonly accounts: Set<MemoryAccount>
}

/**
 * Counts the memory held for data from and to networks, and ends connections that hold too much: the connection itself or, if an
 * organization or the whole server holds too much, the largest connection of the largest organization.
 */
export class Memory {
  readonly limits: MemoryLimits
  readonly #organizations = new Map<string, Organization>()
  readonly #onExceeded: (scope: MemoryScope) => void
  #held = 0

  /** `onExceeded` is called for every connection that is ended. */
  constructor(limits: MemoryLimits, onExceeded: (scope: MemoryScope) => void = () => {}) {
    this.limits = limits
    this.#onExceeded = onExceeded
  }

  /** How many bytes are held in all. */
  get held(): number {
    return this.#held
  }

  /** The account of one instance. */
  account(organizationId: string): MemoryAccount {
    return new MemoryAccount({
      count: (account, bytes, kind) => this.#count(organizationId, account, { bytes, kind }),
      presses: (account) => this.#presses(organizationId, account),
    })
  }

  /**
   * Whether so much of what came in is held for the organization that an account should take in no more than it holds. One that
   * holds less than its part of what may be held goes on, so that the others do not keep it from receiving.
   */
  #presses(organizationId: string, { incoming }: MemoryAccount): boolean {
    const organization = this.#organizations.get(organizationId)
    const most = this.limits.organization / 2
    if (!organization || organization.incoming <= most) return false
    return incoming > most / organization.accounts.size
  }

  #count(
    organizationId: string,
    account: MemoryAccount,
    { bytes, kind }: { readonly bytes: number; readonly kind: HoldingKind },
  ): void {
    const none: Organization = { held: 0, incoming: 0, accounts: new Set() }
    const organization = this.#organizations.get(organizationId) ?? none
    organization.held += bytes
    if (kind === 'incoming') organization.incoming += bytes
    this.#held += bytes
    if (account.held > 0) organization.accounts.add(account)
    else organization.accounts.delete(account)
    if (organization.accounts.size > 0) this.#organizations.set(organizationId, organization)
    else this.#organizations.delete(organizationId)
    if (bytes > 0) this.#limit(organization, account)
  }

  #limit(organization: Organization, account: MemoryAccount): void {
    const { limits } = this
    if (account.held > limits.connection) this.#exceed(account, 'connection')
    while (organization.held > limits.organization) {
      if (!this.#exceed(largest(organization.accounts), 'organization')) break
    }
    while (this.#held > limits.server) {
      const most = largest(this.#organizations.values())
      if (!most || !this.#exceed(largest(most.accounts), 'server')) break
    }
  }

  /** False if that freed nothing. */
  #exceed(account: MemoryAccount | undefined, scope: MemoryScope): boolean {
    const before = account?.held ?? 0
    if (!account?.exceed(scope)) return false
    this.#onExceeded(scope)
    return account.held < before
  }
}

/** What an account asks of the memory of all. */
interface AccountContext {
  readonly count: (account: MemoryAccount, bytes: number, kind: HoldingKind) => void
  readonly presses: (account: MemoryAccount) => boolean
}

/** The memory held for one instance, by all parts. */
export class MemoryAccount {
  held = 0
  /** How much of that came in. */
  incoming = 0
  /** Must release at once what the connection holds; null while there is none. */
  onExceeded: ((scope: MemoryScope) => void) | null = null
  readonly #context: AccountContext

  constructor(context: AccountContext) {
    this.#context = context
  }

  /** Whether all of the organization's instances hold too much of what came in, and this one is not among those that hold little. */
  get presses(): boolean {
    return this.#context.presses(this)
  }

  holding(kind: HoldingKind): Holding {
    return new AccountHolding(this, kind)
  }

  /** Holds so many bytes more, or fewer. */
  change(kind: HoldingKind, more: number): void {
    this.held += more
    if (kind === 'incoming') this.incoming += more
    this.#context.count(this, more, kind)
  }

  /** Ends a connection once; false if there is none to end. */
  exceed(scope: MemoryScope): boolean {
    const listener = this.onExceeded
    this.onExceeded = null
    listener?.(scope)
    return listener !== null
  }
}

class AccountHolding implements Holding {
  readonly #account: MemoryAccount
  readonly #kind: HoldingKind
  #held = 0

  constructor(account: MemoryAccount, kind: HoldingKind) {
    this.#account = account
    this.#kind = kind
  }

  set(bytes: number): void {
    const more = bytes - this.#held
    if (more === 0) return
    this.#held = bytes
    this.#account.change(this.#kind, more)
  }

  add(bytes: number): void {
    this.set(this.#held + bytes)
  }

  end(): void {
    this.set(0)
  }
}

function largest<H extends { readonly held: number }>(holders: Iterable<H>): H | undefined {
  let most: H | undefined
  for (const holder of holders) if (!most || holder.held > most.held) most = holder
  return most
}

/** Scope of the limit that was reached. */
export type BudgetScope = 'connection' | 'organization' | 'server'

/** Bytes that may be held: for one instance, for all of an organization, and for all. */
export type ByteLimits = Readonly<Record<BudgetScope, number>>

/** `incoming`: data that still has to be handled or stored. `outgoing`: data that the network still has to read. */
export type HoldingKind = 'incoming' | 'outgoing'

/** The bytes that one part of the program holds for an instance. */
export interface Holding {
  /** Holds so many bytes from now on. */
  set(bytes: number): void
  add(bytes: number): void
  /** Holds nothing from now on. */
  end(): void
}

/** The instances of one organization that hold something. */
interface Organization {
  held: number
  /** Bytes of `held` that came in. */
  incoming: number
  readonly accounts: Set<ByteAccount>
}

/**
 * Counts the bytes held for data from and to networks, and ends connections that hold too much: the connection itself or, if an
 * organization or the whole server holds too much, the largest connection of the largest organization.
 */
export class ByteBudget {
  readonly limits: ByteLimits
  readonly #organizations = new Map<string, Organization>()
  readonly #onExceeded: (scope: BudgetScope) => void
  #held = 0

  /** `onExceeded` is called for every connection that is ended. */
  constructor(limits: ByteLimits, onExceeded: (scope: BudgetScope) => void = () => {}) {
    this.limits = limits
    this.#onExceeded = onExceeded
  }

  /** The bytes that are held in all. */
  get held(): number {
    return this.#held
  }

  /** The account of one instance. */
  account(organizationId: string): ByteAccount {
    return new ByteAccount(this, organizationId)
  }

  /**
   * True if so much of what came in is held for the organization that an account should take in no more than it holds. One that
   * holds less than its part of what may be held goes on, so that the others do not keep it from receiving.
   */
  isPressed({ organizationId, incoming }: ByteAccount): boolean {
    const organization = this.#organizations.get(organizationId)
    const limit = this.limits.organization / 2
    if (!organization || organization.incoming <= limit) return false
    return incoming > limit / organization.accounts.size
  }

  /** An account holds so many bytes more, or fewer. */
  count(account: ByteAccount, bytes: number, kind: HoldingKind): void {
    const { organizationId } = account
    const none: Organization = { held: 0, incoming: 0, accounts: new Set() }
    const organization = this.#organizations.get(organizationId) ?? none
    organization.held += bytes
    if (kind === 'incoming') organization.incoming += bytes
    this.#held += bytes
    if (account.held > 0) organization.accounts.add(account)
    else organization.accounts.delete(account)
    if (organization.accounts.size > 0) this.#organizations.set(organizationId, organization)
    else this.#organizations.delete(organizationId)
    if (bytes > 0) this.#enforce(organization, account)
  }

  #enforce(organization: Organization, account: ByteAccount): void {
    const { limits } = this
    if (account.held > limits.connection) this.#exceed(account, 'connection')
    while (organization.held > limits.organization) {
      if (!this.#exceed(largest(organization.accounts), 'organization')) break
    }
    while (this.#held > limits.server) {
      const accounts = largest(this.#organizations.values())?.accounts ?? []
      if (!this.#exceed(largest(accounts), 'server')) break
    }
  }

  /** False if that freed nothing. */
  #exceed(account: ByteAccount | undefined, scope: BudgetScope): boolean {
    const before = account?.held ?? 0
    const onExceeded = account?.onExceeded
    if (!account || !onExceeded) return false
    account.onExceeded = null
    onExceeded(scope)
    this.#onExceeded(scope)
    return account.held < before
  }
}

/** The bytes held for one instance, by all parts. */
export class ByteAccount {
  held = 0
  /** Bytes of `held` that came in. */
  incoming = 0
  /** Must release at once what the connection holds, and is called once; null while there is none. */
  onExceeded: ((scope: BudgetScope) => void) | null = null
  readonly organizationId: string
  readonly #budget: ByteBudget

  constructor(budget: ByteBudget, organizationId: string) {
    this.#budget = budget
    this.organizationId = organizationId
  }

  /** True if all of the organization's instances hold too much of what came in, and this one is not among those that hold little. */
  get isPressed(): boolean {
    return this.#budget.isPressed(this)
  }

  holding(kind: HoldingKind): Holding {
    let held = 0
    const set = (bytes: number) => {
      const more = bytes - held
      if (more === 0) return
      held = bytes
      this.held += more
      if (kind === 'incoming') this.incoming += more
      this.#budget.count(this, more, kind)
    }
    return { set, add: (bytes) => set(held + bytes), end: () => set(0) }
  }
}

function largest<H extends { readonly held: number }>(holders: Iterable<H>): H | undefined {
  let found: H | undefined
  for (const holder of holders) if (!found || holder.held > found.held) found = holder
  return found
}

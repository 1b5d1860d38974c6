import { Account, type NewPerson } from './account.ts'
import { lidServer, parseJid, phoneServer } from './jid.ts'

/** All accounts, by phone number and by LID. */
export class Directory {
  readonly #byPhone = new Map<string, Account>()
  readonly #byLid = new Map<string, Account>()
  /** Numbers that are written in an older way, such as those of Brazil without the digit that was added later. */
  readonly #olderNumbers = new Map<string, Account>()

  add(person: NewPerson): Account {
    if (!/^\d{5,20}$/.test(person.phone)) throw new Error('A phone number is 5 to 20 digits.')
    const account = new Account(person)
    if (this.#byPhone.has(account.pn) || this.#byLid.has(account.lid)) {
      throw new Error(`There is an account ${account.pn} already.`)
    }
    this.#byPhone.set(account.pn, account)
    this.#byLid.set(account.lid, account)
    return account
  }

  /** A person takes another phone number. */
  renumber(account: Account, pn: string): void {
    if (this.#byPhone.has(pn)) throw new Error(`There is an account ${pn} already.`)
    this.#byPhone.delete(account.pn)
    account.pn = pn
    this.#byPhone.set(pn, account)
  }

  /** A person is found by an older form of the number, too. */
  answerTo(account: Account, older: string): void {
    this.#olderNumbers.set(older, account)
  }

  /** The account of a number, also of one that is written in an older way. */
  ofWritten(number: string): Account | undefined {
    return this.#byPhone.get(number) ?? this.#olderNumbers.get(number)
  }

  all(): Iterable<Account> {
    return this.#byPhone.values()
  }

  ofPhone(pn: string): Account | undefined {
    return this.#byPhone.get(pn)
  }

  /** The account of a person; throws if there is none. */
  get(pn: string): Account {
    const account = this.#byPhone.get(pn)
    if (!account) throw new Error(`There is no account ${pn}.`)
    return account
  }

  /** Returns the account with this phone number or LID, if there is one. */
  ofUser(user: string): Account | undefined {
    return this.#byPhone.get(user) ?? this.#byLid.get(user)
  }

  /** Returns the account with this address, if there is one. */
  ofJid(jid: string): Account | undefined {
    const { user, server } = parseJid(jid)
    if (server === lidServer) return this.#byLid.get(user)
    return server === phoneServer || server === 'c.us' ? this.#byPhone.get(user) : undefined
  }
}

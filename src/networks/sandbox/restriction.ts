import { sentencesOf } from '../../contract/codes.ts'
import type { ConnectContext } from '../driver/connection.ts'
import type { Observation } from '../driver/observation.ts'
import type { Outcome } from '../driver/outcome.ts'
import { errorOf, type RestrictionCode, restrictions } from './codes.ts'
import type { Waits } from './waits.ts'

interface Side {
  readonly clock: ConnectContext['clock']
  readonly waits: Waits
  readonly report: (observation: Observation) => void
}

/** The restriction of an account by a script. */
export class PlayedRestriction {
  readonly #side: Side
  #until = 0

  constructor(side: Side) {
    this.#side = side
  }

  /** The outcome of what is sent meanwhile; undefined if the account is not restricted. */
  get outcome(): Outcome | undefined {
    if (this.#until <= this.#side.clock.now()) return undefined
    const error = errorOf('account_restricted', false)
    return { kind: 'deferred', until: this.#until, scope: 'instance', error }
  }

  begin(code: RestrictionCode, seconds: number): void {
    const { clock, waits, report } = this.#side
    const since = clock.now()
    this.#until = since + seconds * 1000
    const detail = sentencesOf(restrictions[code])
    report({
      kind: 'restriction',
      restriction: { code, detail, scope: 'all_messages', since, ends_at: this.#until },
    })
    waits.later(seconds * 1000, () => {
      this.#until = 0
      report({ kind: 'restriction', restriction: null })
    })
  }
}

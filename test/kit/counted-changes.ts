import { Changes } from '../../src/runtime/changes.ts'

/** Changes that show how many wait for one. */
export class CountedChanges extends Changes {
  waiting = 0

  override async next(...given: Parameters<Changes['next']>): Promise<void> {
    this.waiting++
    await super.next(...given)
    this.waiting--
  }
}

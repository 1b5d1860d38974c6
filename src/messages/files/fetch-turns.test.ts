import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchTurns, type FileOwner } from './fetch-turns.ts'

/** Files in the order in which they came, of which those are offered that `FetchTurns` does not pass over. */
class Backlog {
  readonly turns = new FetchTurns()
  readonly underway: FileOwner[] = []
  readonly #files: FileOwner[]

  constructor(files: readonly FileOwner[]) {
    this.#files = [...files]
  }

  /** Begins every file that may begin now, and returns their names. */
  look(): string[] {
    const began: string[] = []
    while (this.turns.free > 0) {
      const { organizations, senders } = this.turns.passedOver()
      const offered = this.#files
        .filter(({ organization_id: id, sender }) => {
          const had = senders.find(({ organization }) => organization === id)?.senders ?? []
          return !organizations.includes(id) && !had.includes(sender ?? '')
        })
        .slice(0, this.turns.free)
      for (const file of offered) {
        if (!this.turns.begin(file)) continue
        this.#files.splice(this.#files.indexOf(file), 1)
        this.underway.push(file)
        began.push(nameOf(file))
      }
      if (offered.length === 0 && !this.turns.nextRound()) return began
    }
    return began
  }

  end(file: FileOwner | undefined): void {
    assert.ok(file)
    this.underway.splice(this.underway.indexOf(file), 1)
    this.turns.end(file)
  }
}

const nameOf = ({ organization_id, sender }: FileOwner) => `${organization_id} ${sender}`
const files = (count: number, organization_id: string, sender: string | null): FileOwner[] =>
  Array.from({ length: count }, () => ({ organization_id, sender }))

test('one sender has two places of the four of an organization', () => {
  const backlog = new Backlog([...files(8, 'a', 'mallory'), ...files(1, 'a', 'ana')])
  assert.deepEqual(backlog.look(), ['a mallory', 'a ana', 'a mallory'])
})

test('files that are sent have all places of their organization', () => {
  const backlog = new Backlog(files(8, 'a', null))
  assert.equal(backlog.look().length, 4)
  backlog.end(backlog.underway[0])
  assert.equal(backlog.look().length, 1)
})

test('if all places are taken, the next free one goes to whoever has had none', () => {
  const crowd = Array.from({ length: 16 }, (_, org) =>
    [1, 2, 3, 4].flatMap((sender) => files(100, `org-${org}`, `mallory-${sender}`)),
  ).flat()
  const backlog = new Backlog([...crowd, ...files(1, 'good', 'ana')])
  const first = backlog.look()
  assert.equal(first.length, 64)
  assert.ok(first.includes('good ana'), 'it waits for nobody')
  const late = new Backlog(crowd)
  assert.equal(late.look().length, 64)
  assert.equal(late.turns.free, 0)
})

test('within an organization, senders whose files go on coming do not starve one that has a single file', () => {
  const crowd = [1, 2, 3, 4].flatMap((sender) => files(100, 'a', `mallory-${sender}`))
  const backlog = new Backlog([...crowd, ...files(1, 'a', 'ana')])
  const began = backlog.look()
  for (let ended = 0; ended < 4 && !began.includes('a ana'); ended++) {
    backlog.end(backlog.underway[0])
    began.push(...backlog.look())
  }
  assert.ok(began.includes('a ana'), began.join(', '))
})

test('an organization whose senders are always new ones takes no turn from another', () => {
  const crowd = Array.from({ length: 2_000 }, (_, sender) => files(1, 'a', `mallory-${sender}`)).flat()
  const backlog = new Backlog([...crowd, ...files(20, 'b', 'ana')])
  const began = backlog.look()
  for (let ended = 0; ended < 60; ended++) {
    backlog.end(backlog.underway[0])
    began.push(...backlog.look())
  }
  assert.equal(began.filter((name) => name === 'b ana').length, 20)
  assert.ok(backlog.turns.passedOver().senders.every(({ senders }) => senders.length <= 500))
})

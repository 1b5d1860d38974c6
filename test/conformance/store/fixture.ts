import { afterEach } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { createThings } from './functions.ts'

/** An empty database that stores can be opened on, one after another or several at a time. */
export type Place = () => Promise<Store>

/** Gives a test its own place, with the table of things in it, and closes its stores when the test ends. */
export interface StoreFixture {
  store(): Promise<Store>
  /** As many stores as asked for on one database, as several processes would have. */
  stores(count: number): Promise<Store[]>
  place(): Promise<Place>
}

/** Makes the fixture for one kind of store; `newPlace` gives an empty database each time. */
export function storeFixture(newPlace: () => Promise<Place>): StoreFixture {
  const open: Store[] = []
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())))
  const place = async () => {
    const opening = await newPlace()
    return async () => {
      const store = await opening()
      open.push(store)
      return store
    }
  }
  const stores = async (count: number) => {
    const opening = await place()
    const first = await opening()
    await first.transact(createThings, null)
    return [first, ...(await Promise.all(Array.from({ length: count - 1 }, opening)))]
  }
  return { place, stores, store: async () => (await stores(1))[0] as Store }
}

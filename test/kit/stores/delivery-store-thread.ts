import { serveSqliteStore } from '../../../src/store/sqlite/sqlite-thread.ts'
import { deliveryFunctionsForTests } from './delivery-store.ts'

await serveSqliteStore(deliveryFunctionsForTests)

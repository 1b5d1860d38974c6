import { serveSqliteStore } from '../../src/store/sqlite-thread.ts'
import { deliveryFunctionsForTests } from './delivery-store.ts'

await serveSqliteStore(deliveryFunctionsForTests)

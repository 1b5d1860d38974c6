import { workerData } from 'node:worker_threads'
import type { StoreFunctions } from '../store.ts'
import { serveCalls } from '../thread/serve.ts'
import { type PostgresTask, PostgresWriter } from './postgres-writer.ts'

/** Performs the transactions of a store on this thread, on the database that its task names, as the main thread sends them. */
export async function servePostgresStore(functions: StoreFunctions): Promise<void> {
  const writer = await PostgresWriter.open(workerData as PostgresTask, functions)
  serveCalls({
    identity: '',
    perform: (group, options) => writer.perform(group, options),
    close: () => writer.end(),
  })
}

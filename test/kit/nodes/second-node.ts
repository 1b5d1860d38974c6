import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openGateway } from '../../../src/gateway/start.ts'
import type { Config } from '../../../src/runtime/config/config.ts'
import { silentLog } from '../../../src/runtime/log.ts'

/** A second node on the database of a server under test, which answers every second request of its clients. */
export interface SecondNode {
  /** Sends the request to the one node or the other, in turns. */
  readonly fetch: typeof fetch
  stop(): Promise<void>
}

/** Files that nodes of one installation have in common. */
const common = ['master.key', 'admin.key', 'operator.token', 'metrics.token']

/** True if this run of the tests is about two nodes (`POSTHORN_TEST_SECOND_NODE`), as far as they can share a store. */
export const hasSecondNode = (config: Config): boolean =>
  process.env.POSTHORN_TEST_SECOND_NODE !== undefined && config.POSTHORN_DATABASE_URL !== undefined

export async function startSecondNode(
  first: string,
  config: Config,
  options: Parameters<typeof openGateway>[2],
): Promise<SecondNode> {
  const data = `${config.POSTHORN_DATA}-second`
  for (const name of common) {
    const file = join(config.POSTHORN_DATA, name)
    if (existsSync(file)) cpSync(file, join(data, name))
  }
  const gateway = await openGateway({ ...config, POSTHORN_DATA: data }, silentLog, options)
  let turn = 0
  return {
    fetch: (input, init) => {
      const isSecond = turn++ % 2 === 1 && String(input).startsWith(first)
      return fetch(isSecond ? gateway.url + String(input).slice(first.length) : input, init)
    },
    async stop() {
      await gateway.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

import { boundedFetch } from '../../net/fetch/bounded-fetch.ts'
import { guardedFetch } from '../../net/fetch/fetch.ts'
import type { NameResolver } from '../../net/resolve/names.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import { bounds } from '../../runtime/config/bounds.ts'
import type { Config } from '../../runtime/config/config.ts'
import { FileFetcher, type FileFetcherContext } from './fetcher.ts'
import { type FilesToSendContext, filesToSend } from './files-to-send.ts'
import { receivedFiles } from './received-files.ts'

/** The fetchers of message files: of those that callers send, and of those that unknown senders send. */
export interface FileFetchers {
  readonly sent: FileFetcher<unknown>
  readonly received: FileFetcher<unknown>
}

interface FileFetchersContext
  extends Omit<FileFetcherContext, 'wake' | 'random'>,
    Omit<FilesToSendContext, 'store' | 'fetch'> {
  readonly config: Config
  readonly names: NameResolver
}

/** The instances that run in this process. */
export interface RunningInstances {
  /** Has an instance look for what it has to send. */
  wake(instanceId: string): void
  /** Returns the connection of an instance; undefined while it is not open. */
  connectionOf(instanceId: string): DriverConnection | undefined
}

/** Makes both fetchers. Unknown senders cannot lead a fetcher to a private address, even if the operator lists it. */
export function makeFileFetchers(
  { config, names, ...context }: FileFetchersContext,
  instances: RunningInstances,
): FileFetchers {
  const { clock, alarms } = context
  const connectionOf = (instanceId: string) => instances.connectionOf(instanceId)
  const allowedBlocks = config.POSTHORN_FETCH_ALLOW_CIDRS
  const slowest = bounds.fetchRate.value
  const base = bounds.receivedFetchSeconds.value * 1_000
  const ofCallers = guardedFetch({ clock, alarms, names, slowest, allowedBlocks })
  const ofUnknownSenders = guardedFetch({ clock, alarms, names, slowest, base, allowedBlocks: [] })
  const bounded = boundedFetch({ clock, alarms, slowest, base })
  const work = {
    ...context,
    random: Math.random,
    wake: (instanceId: string) => instances.wake(instanceId),
  }
  return {
    sent: new FileFetcher(work, filesToSend({ ...context, fetch: ofCallers })),
    received: new FileFetcher(
      work,
      receivedFiles({ ...context, fetch: ofUnknownSenders, bounded, connectionOf }),
    ),
  }
}

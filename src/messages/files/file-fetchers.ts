import { boundedFetch } from '../../net/fetch/bounded-fetch.ts'
import { guardedFetch } from '../../net/fetch/fetch.ts'
import type { NameResolver } from '../../net/resolve/names.ts'
import { bounds } from '../../runtime/config/bounds.ts'
import type { Config } from '../../runtime/config/config.ts'
import { FileFetcher, type FileParts } from './fetcher.ts'
import { filesToSend } from './files-to-send.ts'
import { receivedFiles } from './received-files.ts'

/** The fetchers of message files: of those that callers send, and of those that unknown senders send. */
export interface FileFetchers {
  readonly sent: FileFetcher<unknown>
  readonly received: FileFetcher<unknown>
}

/** Makes both fetchers. Unknown senders cannot lead a fetcher to a private address, even if the operator lists it. */
export function makeFileFetchers(
  parts: FileParts & { readonly config: Config; readonly names: NameResolver },
): FileFetchers {
  const { config, names, clock, alarms } = parts
  const allowedBlocks = config.POSTHORN_FETCH_ALLOW_CIDRS
  const slowest = bounds.fetchRate.value
  const base = bounds.receivedFetchSeconds.value * 1_000
  const ofCallers = guardedFetch({ clock, alarms, names, slowest, allowedBlocks })
  const ofUnknownSenders = guardedFetch({ clock, alarms, names, slowest, base, allowedBlocks: [] })
  const bounded = boundedFetch({ clock, alarms, slowest, base })
  return {
    sent: new FileFetcher(parts, filesToSend(parts, ofCallers)),
    received: new FileFetcher(parts, receivedFiles(parts, { fetch: ofUnknownSenders, bounded })),
  }
}

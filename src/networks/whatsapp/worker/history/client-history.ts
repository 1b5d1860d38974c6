import type { HttpClient } from '../../../../net/http/client.ts'
import { openFile } from '../../media/files.ts'
import type { MediaConnection } from '../../media/upload.ts'
import type { WorkerClientEvent, WorkerClientOptions } from '../../processes/worker-protocol.ts'
import { History, type HistoryOptions } from './history.ts'
import type { KeepingOptions } from './keeping.ts'

/** Milliseconds that a host for files may take to answer. */
const answerTime = 20_000

/** The part of its process that the history of a client needs. */
export interface HistoryHome {
  /** Its requests are guarded. */
  readonly http: HttpClient
  /** Runs `work` when it is the turn of this client. */
  readonly inTurn: HistoryOptions['inTurn']
  tell(event: WorkerClientEvent): void
  /** Marks this client as the cause of everything that happens next. */
  serves(): void
}

interface ClientHistoryOptions extends KeepingOptions {
  readonly options: WorkerClientOptions
  readonly home: HistoryHome
  /** Returns the hosts of files. */
  readonly mediaHosts: () => Promise<MediaConnection>
}

/** The history of a client. Its files come from the hosts that WhatsApp names, through the proxy of the instance if it has one. */
export function clientHistory({ options, home, mediaHosts, ...kept }: ClientHistoryOptions): History {
  const { ca, proxy } = options
  const more = { ...(ca !== null && { ca }), ...(proxy && { proxy }) }
  const http: HttpClient = {
    request: (asked) => home.http.request({ ...asked, ...more }),
    open: (asked) => home.http.open({ ...asked, ...more }),
  }
  return new History({
    ...kept,
    inTurn: home.inTurn,
    serves: () => home.serves(),
    dropped: (what) => home.tell({ kind: 'dropped', what }),
    read: (counts) => home.tell({ kind: 'history-read', ...counts }),
    open: async (reference, request) => {
      const { hosts } = await mediaHosts()
      const names = hosts.map(({ hostname }) => hostname)
      return (await openFile({ http, hosts: names, answerTime }, reference, request)).body
    },
  })
}

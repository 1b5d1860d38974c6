import type { PlannedFault } from '../faults.ts'
import type { Settings, WhatsApp } from '../whatsapp.ts'

/** Faults of the server, and figures for tests. */
export const serverActions = {
  fault: ({ faults }: WhatsApp, planned: PlannedFault): void => faults.plan(planned),
  clearFaults: ({ faults }: WhatsApp, _: object): void => faults.clear(),

  /** Changes the settings that are named. */
  set: ({ settings }: WhatsApp, changed: Partial<Settings>): void => {
    Object.assign(settings, changed)
  },

  /** Counts the messages with this id that came from clients. Waits until there are at least `count`. */
  messages: async (
    whatsapp: WhatsApp,
    { id, count = 0 }: { readonly id: string; readonly count?: number },
  ) => {
    const came = () => whatsapp.counters.messages.get(id) ?? 0
    await whatsapp.waiting.until(() => came() >= count)
    return came()
  },

  /** The acks and receipts of clients for a message. Waits until one is of this type, if it is given. */
  settled: async (whatsapp: WhatsApp, { id, type }: { readonly id: string; readonly type?: string }) => {
    const { settled } = whatsapp.counters
    const isThere = () => type === undefined || (settled.get(id) ?? []).some((each) => each.type === type)
    await whatsapp.waiting.until(isThere)
    return settled.get(id) ?? []
  },

  /** Counts the messages to groups that named the devices that there are, and those that named others. */
  lists: ({ counters }: WhatsApp, _: object) => counters.lists,

  /** Counts the questions of clients, by namespace and content, and tells which of them the server does not know. */
  questions: ({ counters }: WhatsApp, _: object) => ({
    asked: Object.fromEntries(counters.questions),
    unknown: Object.fromEntries(counters.unknown),
  }),

  /** Counts the streams that are open, and those that were opened. Waits until at most `most` are open. */
  streams: async (whatsapp: WhatsApp, { most = Infinity }: { readonly most?: number }) => {
    const { connections, counters, waiting } = whatsapp
    await waiting.until(() => connections.size <= most)
    return { open: connections.size, opened: counters.streams }
  },

  /** Streams that ended because the same client logged in again. */
  replaced: ({ counters }: WhatsApp, _: object) => counters.replaced,

  /** Number of TCP connections that clients have opened, to the server and to its media host. */
  connections: ({ counters }: WhatsApp, _: object): number => counters.connections,

  /** Counts the files that came to the media host, and those that it took. Waits until at least `tried` came. */
  uploads: async (whatsapp: WhatsApp, { tried = 0 }: { readonly tried?: number }) => {
    const { uploads } = whatsapp.counters
    await whatsapp.waiting.until(() => uploads.tried >= tried)
    return uploads
  },

  /** Counts the files that clients asked the media host for. Waits until there are at least `count`. */
  downloads: async (whatsapp: WhatsApp, { count = 0 }: { readonly count?: number }): Promise<number> => {
    await whatsapp.waiting.until(() => whatsapp.counters.downloads >= count)
    return whatsapp.counters.downloads
  },

  /** From now on, clients are told that files are on this host. Returns where they were until now. */
  moveMedia: ({ media }: WhatsApp, { host }: { readonly host: string }): string => {
    const before = media.host
    media.host = host
    return before
  },

  /** The media host takes files only with tokens that are asked for from now on. */
  revokeTokens: ({ media }: WhatsApp, _: object): void => media.revokeTokens(),

  /** Has the files on the media host expire with a status, or be there again. */
  expire: (
    { media }: WhatsApp,
    { status, path }: { readonly status: number; readonly path?: string },
  ): void => media.expire(status, path),
  restore: ({ media }: WhatsApp, _: object): void => media.restore(),
}

import { bigint, integer, nullable, orElse, textColumn } from './columns.ts'

export const nodeTables = {
  /** The nodes that have run on the store: the servers that share it. */
  nodes: {
    id: textColumn(),
    /** Names the process that runs the node; empty if none does. A process writes only while this is its own. */
    boot: textColumn(),
    /** Counts on while that process runs. */
    beat: orElse(bigint(), 0),
    /** When it last counted on, by the clock of the database: for people and commands; nodes watch each other's beats. */
    seen_at: bigint(),
    /** The version of the program. */
    version: textColumn(),
    /** The newest step of the schema that it knows. */
    schema: textColumn(),
    /** The place where it keeps files; the same on nodes that find each other's files. */
    media: textColumn(),
    /** 1 if it gives its instances to others, and takes none. */
    draining: orElse(integer(), 0),
    started_at: bigint(),
  },
  /** Work that one node does for all, and the node that does it. */
  duties: {
    name: textColumn(),
    owner: nullable(textColumn()),
  },
  /** Requests of keys that each node answered lately, where nodes cannot tell each other by words. */
  rate_use: {
    node: textColumn(),
    /** Counts the tellings of the node. */
    number: bigint(),
    /** JSON text: requests since the telling before, by the ids of their keys. */
    taken: textColumn(),
  },
}

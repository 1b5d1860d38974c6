import type { StanzaLimits } from './splitter.ts'

/**
 * Limits of a stanza once the account is logged in. Unknown senders can write as much as the servers on the way pass on,
 * half a megabyte with most; so one that is larger is left out, and the stream goes on.
 */
export const stanzaLimits: StanzaLimits = {
  bytes: 256 * 1024,
  depth: 100,
  elements: 2_000,
  attributes: 4_000,
  skippable: 4 * 1024 * 1024,
}

/** And before that, when the server alone speaks, and may not be the right one. */
export const loginLimits: StanzaLimits = {
  bytes: 64 * 1024,
  depth: 30,
  elements: 500,
  attributes: 1_000,
  skippable: 0,
}

/** Bytes that may come in all until the account is logged in, and stanzas that were not asked for. */
export const loginBytes = 512 * 1024
export const earlyStanzas = 20

import { after, before, describe } from 'node:test'
import { callbackLaws } from './callback-laws.ts'
import { connectionLaws } from './connection-laws.ts'
import type { Harness } from './harness.ts'
import { linkLaws } from './link-laws.ts'
import { mediaLaws } from './media-laws.ts'
import { receivingLaws } from './receiving-laws.ts'
import { referenceLaws } from './reference-laws.ts'
import { sendingLaws } from './sending-laws.ts'
import { templateLaws } from './template-laws.ts'
import { textLaws } from './text-laws.ts'
import { valueLaws } from './value-laws.ts'

/**
 * The suite that every driver passes. It registers its laws with node:test; those that need the far end run against
 * what the harness offers.
 */
export function conformance(name: string, harness: Harness): void {
  describe(`the driver ${name}`, () => {
    describe('as a value', () => valueLaws(harness))
    describe('called back', () => callbackLaws(harness.driver))
    describe('at its far end', () => {
      before(async () => {
        if (harness.unavailable === undefined) await harness.start()
      })
      after(async () => {
        if (harness.unavailable === undefined) await harness.stop()
      })
      describe('connecting', () => connectionLaws(harness))
      describe('linking', () => linkLaws(harness))
      describe('sending', () => sendingLaws(harness))
      describe('receiving', () => receivingLaws(harness))
      describe('receiving files by reference', () => referenceLaws(harness))
      describe('texts', () => textLaws(harness))
      describe('files', () => mediaLaws(harness))
      describe('templates', () => templateLaws(harness))
    })
  })
}

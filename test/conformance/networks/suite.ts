import { after, before, describe } from 'node:test'
import type { Harness } from './harness.ts'
import { callbackLaws } from './laws/callback.ts'
import { connectionLaws } from './laws/connection.ts'
import { contentLaws } from './laws/contents.ts'
import { followingLaws } from './laws/following.ts'
import { groupLaws } from './laws/groups.ts'
import { linkLaws } from './laws/link.ts'
import { mediaLaws } from './laws/media.ts'
import { receivingLaws } from './laws/receiving.ts'
import { referenceLaws } from './laws/reference.ts'
import { sendingLaws } from './laws/sending.ts'
import { templateLaws } from './laws/template.ts'
import { textLaws } from './laws/text.ts'
import { valueLaws } from './laws/value.ts'

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
      describe('messages about others', () => followingLaws(harness))
      describe('contents', () => contentLaws(harness))
      if (harness.driver.groups) describe('groups', () => groupLaws(harness))
    })
  })
}

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { anyCharacter } from '../../../kit/random.ts'
import { type LawFixture, law, type Recipient } from '../fixture.ts'
import type { Harness } from '../harness.ts'
import { newText, type Session } from '../session.ts'

/** Texts that break naive drivers, by what they try. */
const awkwardTexts: Readonly<Record<string, string>> = {
  'emoji of one and of several code points': 'hello 😀 👨‍👩‍👧‍👦 🏳️‍🌈 🇧🇷 ✍🏽',
  'writing from right to left, with marks': 'שלום \u200fעולם\u200e مرحبا \u202eabc\u202c',
  'accents that are not composed': 'e\u0301 a\u030a 각',
  'line breaks of Unix': 'one\ntwo\n\nfour\n',
  'line breaks of Windows': 'one\r\ntwo\rthree',
  'tabs, and spaces around': '  \tone two\u00a0three \t ',
  'markup and quotes': '<b>&amp; &lt; &#10; "double" \'single\'</b> <!-- --> <?x?>',
  'the end of a CDATA section': 'a ]]> b <![CDATA[ c ]]>',
  'escapes of other languages': '\\n \\u0000 %00 %s $(x) {{x}} `x`',
  'a byte order mark, and invisible characters': '\ufeffa\u200bb\u00ad\u2028c\u2029',
  noncharacters: 'a\ufffeb\uffffc\u{1ffff}',
  'the private use planes': '\ue000\u{f0000}\u{10fffd}',
  'a NUL': 'before\0after',
  'control characters': 'a\u0001b\u0008c\u001bd\u007fe\u0085f',
  'a lone high surrogate': 'before \ud83d after',
  'a lone low surrogate': 'before \ude00 after',
  'surrogates in the wrong order': '\ude00\ud83d',
}

/** Laws of any text: it arrives as it was sent or is refused for good, and never breaks the connection. */
export function textLaws(harness: Harness): void {
  const { text_characters } = harness.driver.limits
  for (const [name, text] of Object.entries(awkwardTexts)) {
    law(harness, `a text with ${name} arrives unchanged or is refused for good`, async (fixture) => {
      await carries(fixture, [text])
    })
  }
  law(harness, 'the longest text that the limits allow arrives unchanged', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    await fixture.deliver(session, recipient, 'a'.repeat(text_characters))
    const emojis = '😀'.repeat(text_characters)
    if (!fixture.countsTwice(emojis)) await fixture.deliver(session, recipient, emojis)
    await fixture.deliver(session, recipient, '<&>"'.repeat(text_characters / 4))
  })
  law(harness, 'texts of any content arrive unchanged or are refused for good', async (fixture) => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 })
        .map((codes) => String.fromCharCode(...codes)),
    )
    // A fixed seed: every run sends the same texts, so that a failure can be looked into.
    await carries(fixture, fc.sample(anything, { numRuns: 40, seed: 42 }))
  })
}

async function carries(fixture: LawFixture, texts: readonly string[]): Promise<void> {
  const session = await fixture.open()
  const recipient = await fixture.recipient()
  for (const text of texts) await carriesOrRefuses(fixture, session, recipient, text)
  await fixture.deliver(session, recipient, newText())
  assert.equal(session.count('connection-lost'), 0)
}

async function carriesOrRefuses(
  fixture: LawFixture,
  session: Session,
  recipient: Recipient,
  text: string,
): Promise<void> {
  const id = newMessageId()
  const outcome = await session.send(recipient.address, text, { id })
  if (outcome.kind === 'accepted') {
    assert.equal((await recipient.arrived(fixture.idOf(id, outcome))).text, fixture.kept(text))
  } else {
    assert.ok(
      outcome.kind === 'rejected' && outcome.error.permanent,
      `${outcome.kind}: ${JSON.stringify(text)}`,
    )
  }
}

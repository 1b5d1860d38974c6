import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, jidOf, parseAddress } from './address.ts'

for (const [written, address] of [
  ['+4915112345678', '+4915112345678'],
  ['+49 (151) 123-456.78', '+4915112345678'],
  ['0049 151 12345678', '+4915112345678'],
  ['4915112345678', '+4915112345678'],
  ['+49\u00a0151\u00a012345678', '+4915112345678'],
  ['+49\u2011151\u201112345678', '+4915112345678'],
  ['\u202a+49\u202f151 12345\u2212678\u202c', '+4915112345678'],
  ['tel:+49-151-12345678', '+4915112345678'],
  ['＋４９（１５１）１２３４５６７８', '+4915112345678'],
  ['4915112345678@s.whatsapp.net', '+4915112345678'],
  ['4915112345678@c.us', '+4915112345678'],
  ['4915112345678:3@S.WhatsApp.net', '+4915112345678'],
  ['123456789012345@lid', '123456789012345@lid'],
  ['120363021033254949@g.us', '120363021033254949@g.us'],
  ['4915112345678-1458213141@g.us', '4915112345678-1458213141@g.us'],
] as const) {
  test(`${written} is ${address}`, () => {
    assert.deepEqual(parseAddress(written), { ok: true, address })
    assert.deepEqual(parseAddress(address), { ok: true, address })
    assert.equal(addressOf(jidOf(address)), address)
  })
}

for (const [written, word] of [
  ['', /country code/],
  ['0151 12345678', /not with a zero/],
  ['+49 (0) 151 12345678', /country code/],
  ['+123456', /country code/],
  ['+1234567890123456', /country code/],
  ['+0123456789', /zero/],
  ['+49151x2345678', /country code/],
  ['4915112345678\n', /country code/],
  ['+'.repeat(40), /country code/],
  ['ana', /country code/],
  ['tel:ana', /country code/],
  ['tel:12345678;phone-context=+49', /country code/],
  ['＋４９（０）151 12345678', /country code/],
  ['0@s.whatsapp.net', /phone number/],
  ['123@s.whatsapp.net', /phone number/],
  ['0123456789@lid', /@lid/],
  ['123456789012345678901@lid', /@lid/],
  ['abc@lid', /@lid/],
  ['1-2-3@g.us', /@g\.us/],
  ['120363021033254949@g.us\n', /@g\.us/],
  ['1234@example.org', /@g\.us/],
  ['120363021033254949@newsletter', /channel/],
  ['status@broadcast', /status/],
  ['1458213141@broadcast', /broadcast list/],
] as const) {
  test(`${JSON.stringify(written)} is no address`, () => {
    const parsed = parseAddress(written)
    assert.ok(!parsed.ok && word.test(parsed.detail), JSON.stringify(parsed))
  })
}

for (const [named, address] of [
  ['4915112345678:12@s.whatsapp.net', '+4915112345678'],
  ['4915112345678_1:12@s.whatsapp.net', '+4915112345678'],
  ['4915112345678:99@hosted', '+4915112345678'],
  ['123456789012345:7@lid', '123456789012345@lid'],
  ['123456789012345:99@hosted.lid', '123456789012345@lid'],
  ['status@broadcast', null],
  ['120363021033254949@newsletter', null],
  ['0@s.whatsapp.net', null],
  ['s.whatsapp.net', null],
  ['4915112345678:@s.whatsapp.net', null],
  ['4915112345678@s.whatsapp.net/x', null],
] as const) {
  test(`WhatsApp means ${address} by ${named}`, () => {
    assert.equal(addressOf(named), address)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '../../../../../src/networks/whatsapp/address.ts'
import { groupChangesIn } from '../../../../../src/networks/whatsapp/groups/group-changes.ts'
import { groupIn, maxMembers } from '../../../../../src/networks/whatsapp/groups/group-node.ts'
import { foundAccountsIn } from '../../../../../src/networks/whatsapp/incoming/found-accounts.ts'
import { receiptsIn } from '../../../../../src/networks/whatsapp/incoming/receipts.ts'
import type { Stanza } from '../../../../../src/networks/whatsapp/incoming/stanza.ts'
import { typingIn } from '../../../../../src/networks/whatsapp/incoming/typing.ts'
import { kills, seed } from '../../../../kit/crash/kills.ts'
import { randomOf } from '../../../../kit/random.ts'

/* Stanzas about groups and people with something else in them: they are read, or they are not, and what is told always has the form that it must have. */

/** Twenty-five thousand in each run, and more by `npm run test:long`, which kills more often. */
const mutations = 5_000 * kills

const own = { number: '4915100000001:7@s.whatsapp.net', lid: '9491510000000017:7@lid' }
const ana = { jid: '123456789012345@lid', phone_number: '4915112345678@s.whatsapp.net' }
const node = (tag: string, attrs: Stanza['attrs'] = {}, content?: unknown): Stanza => ({
  tag,
  attrs,
  content,
})
const participant = (attrs: object) => node('participant', { ...attrs })
const about = (...content: Stanza[]) =>
  node(
    'notification',
    {
      from: '120363021033254949@g.us',
      participant: ana.jid,
      participant_pn: ana.phone_number,
      t: '1700000000',
      type: 'w:gp2',
    },
    content,
  )
const group = node(
  'group',
  { id: '120363021033254949', subject: 'Market', creation: '1700000000', size: '2' },
  [
    participant({ ...ana, type: 'superadmin' }),
    participant({ jid: own.lid }),
    node('description', { id: 'D' }, [node('body', {}, Buffer.from('Fish'))]),
    node('ephemeral', { expiration: '60' }),
  ],
)
const user = node('user', { jid: ana.phone_number }, [
  node('contact', { type: 'in' }, Buffer.from('+4915112345678')),
])
const genuine: readonly Stanza[] = [
  about(node('create', { type: 'new' }, [group])),
  about(node('add', { reason: 'invite' }, [participant(ana), participant({ jid: own.number })])),
  about(node('remove', {}, [participant(ana)])),
  about(node('promote', {}, [participant(ana), participant({ jid: '1@lid' })])),
  about(node('subject', { subject: 'Fair', s_t: '1700000000' })),
  about(node('delete', { reason: '1' })),
  about(node('ephemeral', { expiration: '60' }), node('locked')),
  group,
  node('iq', { type: 'result' }, [node('usync', {}, [node('list', {}, [user, user])])]),
  node('chatstate', { from: ana.jid }, [node('composing', { media: 'audio' })]),
  node('receipt', { id: '3A01', from: own.number, recipient: ana.jid, type: 'read', t: '1' }),
]

const strange = [
  '',
  '@',
  'g.us',
  '120363021033254949@g.us',
  'status@broadcast',
  '120363@newsletter',
  '0@lid',
  `${'9'.repeat(10_000)}@g.us`,
  '-1',
  'NaN',
  '1e309',
  '99999999999999999999',
  '\u{d800}',
  '__proto__',
  'constructor',
  ' '.repeat(100_000),
  own.lid,
  own.number,
  ana.jid,
]
const tags = [
  'add',
  'remove',
  'leave',
  'create',
  'subject',
  'group',
  'participant',
  'toString',
  '',
  'parent',
  'list',
  'contact',
]

/** The stanza with some of its parts replaced, left out or multiplied. */
function altered(stanza: Stanza, random: () => number): Stanza {
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const isHit = () => random() < 0.15
  const attrs = Object.fromEntries(
    Object.entries(stanza.attrs).flatMap(([name, value]) =>
      isHit() ? one([[], [[name, one(strange)]], [[one(strange), value]]]) : [[name, value]],
    ),
  )
  const tag = isHit() ? one(tags) : stanza.tag
  if (!Array.isArray(stanza.content))
    return node(
      tag,
      attrs,
      isHit() ? one([undefined, '', Buffer.alloc(100_000, 0xff), [], one(strange)]) : stanza.content,
    )
  const parts = (stanza.content as Stanza[]).flatMap((part) => {
    const next = altered(part, random)
    return isHit() ? one([[], [next, next], Array.from({ length: 3_000 }, () => next)]) : [next]
  })
  return node(tag, attrs, isHit() ? one<unknown>([undefined, Buffer.from('x'), parts, parts]) : parts)
}

const isAddress = (address: string | null | undefined) => {
  if (address === null || address === undefined) return true
  const parsed = parseAddress(address)
  return parsed.ok && parsed.address === address
}

test('stanzas with anything in them tell what has the form that it must have, and take no time', (context) => {
  const random = randomOf(seed)
  const now = 1_800_000_000_000
  let [told, slowest] = [0, 0]
  const communities = { isCommunity: () => false, onCommunity: () => undefined }
  for (let number = 0; number < mutations; number++) {
    const original = genuine[number % genuine.length] ?? assert.fail()
    const stanza = number < genuine.length ? original : altered(original, random)
    const before = process.threadCpuUsage()
    const changes = groupChangesIn(stanza, { own, now, ...communities })
    const found = groupIn(stanza, { own, now, isWhole: true })
    const accounts = foundAccountsIn(stanza, ['+4915112345678']) ?? []
    const seen = typingIn(stanza, own)
    const attrs = stanza.attrs
    const receipts = receiptsIn({ attrs, items: [] }, own)
    const { user, system } = process.threadCpuUsage(before)
    slowest = Math.max(slowest, (user + system) / 1_000)
    told += changes.length + accounts.length + receipts.length + (seen ? 1 : 0) + (found ? 1 : 0)
    const sentence = `seed ${seed}, number ${number}`
    for (const { group: address, members = [], by, at, subject = '' } of changes) {
      assert.ok([address, by, ...members].every(isAddress) && address.endsWith('@g.us'), sentence)
      assert.ok(at > 0 && at <= now && members.length <= maxMembers && subject.length <= 256, sentence)
      assert.ok(!members.includes('+4915100000001') && subject.isWellFormed(), sentence)
    }
    if (found?.kind === 'group') {
      const { address, members = [], created_at: created, size, description } = found.group
      assert.ok([address, ...members.map((member) => member.address)].every(isAddress), sentence)
      assert.ok(members.length <= maxMembers && (created ?? 1) > 0 && (created ?? 0) <= now, sentence)
      assert.ok((size ?? 1) > 0 && (description ?? '').length <= 8 * 1024, sentence)
    }
    for (const { asked, canonical } of accounts)
      assert.ok(asked === '+4915112345678' && isAddress(canonical), sentence)
    if (seen) assert.ok(isAddress(seen.from) && isAddress(seen.conversation), sentence)
  }
  assert.ok(told > genuine.length)
  assert.ok(slowest < 1_000, `one took ${slowest} ms`)
  context.diagnostic(
    `seed ${seed}: ${mutations} mutations, ${told} things told, the slowest in ${slowest.toFixed(1)} ms`,
  )
})

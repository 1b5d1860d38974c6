import assert from 'node:assert/strict'
import type { Interactive } from '../../../../src/contract/resources/content.ts'
import type { SendingAbility } from '../../../../src/contract/statuses.ts'
import type { OutgoingContent } from '../../../../src/networks/driver/message.ts'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { law } from '../fixture.ts'
import type { Arrival, Harness } from '../harness.ts'

type Content = OutgoingContent extends infer One
  ? One extends unknown
    ? Omit<One, 'id' | 'to'>
    : never
  : never

/** Laws of contents besides texts and files: one for each ability that the driver declares. */
export function contentLaws(harness: Harness): void {
  for (const [ability, contents] of Object.entries(examplesFor(harness)))
    if (harness.driver.abilities.sends.includes(ability as SendingAbility))
      for (const content of contents) arrives(harness, ability, content)
}

function arrives(harness: Harness, ability: string, content: Content): void {
  law(harness, `what shows ${ability} arrives as it was sent`, async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    const id = newMessageId()
    const outcome = await session.sendMessage({ id, to: recipient.address, ...content })
    isSame(content, await recipient.arrived(fixture.idOf(id, outcome)))
  })
}

/** The examples fit the limits of the network. */
function examplesFor({ driver }: Harness): Readonly<Partial<Record<SendingAbility, readonly Content[]>>> {
  const { abilities, limits } = driver
  const buttons = ['Yes', 'No']
    .slice(0, limits.interactive.buttons)
    .map((title) => ({ id: `id-${title}`, title }))
  const rows = ['Ten', 'Three'].map((title) => ({
    id: `row-${title}`,
    title,
    description: 'In the afternoon',
  }))
  const body = 'Does tomorrow suit you?'
  const around = {
    ...(abilities.sends.includes('interactive_header') && { header: 'An appointment' }),
    ...(abilities.sends.includes('interactive_footer') && { footer: 'Clinic Lima' }),
  }
  const asking = (interactive: Interactive): Content => ({ kind: 'interactive', interactive })
  const person = { name: 'Dr. Ana Lima', phones: ['+55 11 98765-4321'], emails: [], company: null }
  return {
    location: [
      { kind: 'location', location: { latitude: -23.5614, longitude: -46.6559, name: null, address: null } },
      {
        kind: 'location',
        location: { latitude: 52.5163, longitude: 13.3777, name: 'Tor & Platz', address: 'Pariser Platz 1' },
      },
    ],
    contacts: [{ kind: 'contacts', contacts: [person] }],
    buttons: [asking({ ...around, body, buttons })],
    list: [asking({ ...around, body, list: { button: 'Times', sections: [{ rows }] } })],
    url_button: [asking({ body, url_button: { title: 'Open', url: 'https://example.org/4711?a=1&b=2' } })],
    poll: [
      {
        kind: 'poll',
        poll: { question: 'Which day?', options: ['Monday', 'Tuesday'], multiple_answers: false },
      },
    ],
  }
}

/** Fails unless the recipient has what was sent. A network may round coordinates, and write numbers in its own way. */
function isSame(sent: Content, { content }: Arrival): void {
  assert.ok(content, 'it arrived as content')
  if (sent.kind === 'location') {
    const { latitude = Number.NaN, longitude = Number.NaN, name, address } = content.location ?? {}
    assert.ok(Math.abs(latitude - sent.location.latitude) < 1e-4, `it is at ${latitude}`)
    assert.ok(Math.abs(longitude - sent.location.longitude) < 1e-4, `it is at ${longitude}`)
    assert.deepEqual([name ?? null, address ?? null], [sent.location.name, sent.location.address])
  } else if (sent.kind === 'contacts') {
    const digits = (phone: string) => phone.replaceAll(/\D/g, '')
    assert.deepEqual(
      content.contacts?.map(({ name, phones }) => [name, phones.map(digits)]),
      sent.contacts.map(({ name, phones }) => [name, phones.map(digits)]),
    )
  } else if (sent.kind === 'interactive') assert.deepEqual(content.interactive, sent.interactive)
  else assert.deepEqual(content.poll, sent.poll)
}

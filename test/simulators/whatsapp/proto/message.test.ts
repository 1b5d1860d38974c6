import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import protobuf from 'protobufjs'
import { type Message, messageCodec } from './message.ts'

const load = (file: URL) => protobuf.parse(readFileSync(file, 'utf8'), { keepCase: true }).root.resolveAll()
const theirs = load(new URL('WAProto/WAProto.proto', import.meta.resolve('baileys/package.json')))

/** Every field that is not the same as the one of the same name in Baileys, wherever messages hold messages. */
function* differences(
  our: protobuf.ReflectionObject | null,
  their: protobuf.ReflectionObject | null,
  seen = new Set<protobuf.ReflectionObject>(),
): Generator<string> {
  if (!our || seen.has(our)) return
  seen.add(our)
  if (our instanceof protobuf.Enum && their instanceof protobuf.Enum) {
    for (const [name, value] of Object.entries(our.values))
      if (their.values[name] !== value) yield `${our.fullName}.${name} is ${their.values[name]}`
  } else if (our instanceof protobuf.Type && their instanceof protobuf.Type) {
    for (const field of our.fieldsArray) {
      const same = their.fields[field.name]
      const isScalar = field.resolvedType === null
      if (same?.id !== field.id || same.repeated !== field.repeated || (isScalar && same.type !== field.type))
        yield `${our.fullName}.${field.name} is ${same?.type} ${same?.name} = ${same?.id}`
      else yield* differences(field.resolvedType, same.resolvedType, seen)
    }
  } else yield `${our.fullName} is ${their?.fullName}`
}

for (const [file, messages] of [
  ['message.proto', ['Message', 'HistorySync']],
  ['device-identity.proto', ['ADVDeviceIdentity', 'ADVSignedDeviceIdentity', 'ADVSignedDeviceIdentityHMAC']],
  ['sender-key.proto', ['SenderKeyMessage', 'SenderKeyDistributionMessage']],
] as const)
  test(`What ${file} says is as other programs have it`, () => {
    const ours = load(new URL(file, import.meta.url))
    const faults = messages.flatMap((name) => [
      ...differences(ours.lookupType(name), theirs.lookupType(name)),
    ])
    // One content is there because no client knows it.
    const unknown =
      file === 'message.proto' ? ['.Message.futureMessage is undefined undefined = undefined'] : []
    assert.deepEqual([...new Set(faults)], unknown)
    if (file === 'message.proto') assert.equal(theirs.lookupType('Message').fieldsById[9999], undefined)
  })

test('A message is the same after its way over the wire', () => {
  const quotedMessage: Message = { conversation: 'What about the bill?' }
  const message: Message = {
    documentMessage: {
      fileName: 'bill.pdf',
      fileLength: 3_000_000_000,
      mediaKey: Buffer.alloc(32, 1),
      contextInfo: {
        stanzaId: '3EB0',
        participant: '1@lid',
        quotedMessage,
        mentionedJid: ['2@lid', '3@lid'],
      },
    },
    protocolMessage: { type: 'MESSAGE_EDIT', timestampMs: 1_700_000_000_000, editedMessage: quotedMessage },
  }
  assert.deepEqual(messageCodec.decode(messageCodec.encode(message)), message)
})

test('A field or a word that no device knows is not sent', () => {
  const slips = [
    { imageMessage: { heigth: 3 } },
    { protocolMessage: { type: 'EDIT' } },
    { deviceSentMessage: { message: { text: '' } } },
  ]
  for (const slip of slips) assert.throws(() => messageCodec.encode(slip as Message), /has no (field|value)/)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messageCodec } from '../proto/message.ts'
import { baileysDevice } from './foreign/baileys.ts'
import { anna, annasPhone, gateway, heard, plaintext, programs, read, text } from './foreign/cast.ts'
import type { ForeignDevice } from './foreign/device.ts'
import { unpad } from './padding.ts'
import { deviceSent, Phone } from './phone.ts'

const write = (device: ForeignDevice, words: string) => device.encrypt(anna, plaintext(words))

for (const [program, start] of programs)
  describe(`a phone and a device of ${program}`, () => {
    test('talk when the phone writes first', async () => {
      const [phone, device] = [annasPhone(), await start()]
      assert.equal(phone.hasSession(gateway), false)

      const first = await phone.encrypt(gateway, text('hello'), await device.takeBundle())
      const second = await phone.encrypt(gateway, text('are you there?'))
      assert.deepEqual([first.type, second.type], ['pkmsg', 'pkmsg'], 'until there is an answer')
      assert.equal(read(await device.decrypt(anna, first)), 'hello')
      assert.equal(read(await device.decrypt(anna, second)), 'are you there?')

      const answer = await write(device, 'yes')
      assert.equal(answer.type, 'msg')
      assert.equal(heard(await phone.decrypt(gateway, answer)), 'yes')
      const third = await phone.encrypt(gateway, text('good'))
      assert.equal(third.type, 'msg')
      assert.equal(read(await device.decrypt(anna, third)), 'good')
      assert.equal(phone.hasSession(gateway), true)
      assert.deepEqual(phone.identityOf(gateway), Buffer.from(device.identity))
    })

    test('talk when the device writes first, for several turns', async () => {
      const [phone, device] = [annasPhone(), await start()]
      await device.startSession(anna, phone.takeBundle())
      const first = await write(device, 'hello Anna')
      assert.equal(first.type, 'pkmsg')
      assert.equal(heard(await phone.decrypt(gateway, first)), 'hello Anna')
      for (const turn of ['one', 'two', 'three']) {
        assert.equal(read(await device.decrypt(anna, await phone.encrypt(gateway, text(turn)))), turn)
        assert.equal(heard(await phone.decrypt(gateway, await write(device, turn))), turn)
      }
    })

    test('read what comes in another order', async () => {
      const [phone, device] = [annasPhone(), await start()]
      await device.startSession(anna, phone.takeBundle())
      const sent = [await write(device, 'a'), await write(device, 'b'), await write(device, 'c')]
      const got = []
      for (const index of [2, 0, 1]) {
        const enc = sent[index]
        if (enc) got.push(heard(await phone.decrypt(gateway, enc)))
      }
      assert.deepEqual(got, ['c', 'a', 'b'])

      const replies = []
      for (const words of ['d', 'e', 'f']) replies.push(await phone.encrypt(gateway, text(words)))
      const understood = []
      for (const enc of replies.toReversed()) understood.push(read(await device.decrypt(anna, enc)))
      assert.deepEqual(understood, ['f', 'e', 'd'])
    })

    test('are told apart from who repeats what was sent', async () => {
      const [phone, device] = [annasPhone(), await start()]
      await device.startSession(anna, phone.takeBundle())
      const first = await write(device, 'once')
      assert.equal(heard(await phone.decrypt(gateway, first)), 'once')
      assert.equal(heard(await phone.decrypt(gateway, first)), 'duplicate')
      const later = await write(device, 'later')
      assert.equal(heard(await phone.decrypt(gateway, later)), 'later')
      assert.equal(heard(await phone.decrypt(gateway, later)), 'duplicate')
      assert.equal(heard(await phone.decrypt(gateway, first)), 'duplicate')
    })
  })

test('A phone notices a sender that went back to an older state of its session', async () => {
  const [phone, device] = [annasPhone(), baileysDevice(gateway)]
  await device.startSession(anna, phone.takeBundle())
  const goBack = device.rememberState()
  assert.equal(
    heard(await phone.decrypt(gateway, await write(device, 'before the crash'))),
    'before the crash',
  )
  goBack()
  assert.equal(heard(await phone.decrypt(gateway, await write(device, 'after the crash'))), 'reused-key')
})

describe('A phone refuses', () => {
  test('what was changed on its way', async () => {
    const [phone, device] = [annasPhone(), baileysDevice(gateway)]
    await device.startSession(anna, phone.takeBundle())
    const { type, body } = await write(device, 'pay 10')
    const changed = Buffer.from(body)
    changed[changed.length - 20] = (changed.at(-20) ?? 0) ^ 1
    await assert.rejects(phone.decrypt(gateway, { type, body: changed }))
    assert.equal(heard(await phone.decrypt(gateway, { type, body })), 'pay 10', 'and reads what was not')
  })

  test('a bundle whose signature is of another key', async () => {
    const [phone, device] = [annasPhone(), baileysDevice(gateway)]
    const bundle = await device.takeBundle()
    const { identity } = await baileysDevice(gateway).takeBundle()
    await assert.rejects(phone.encrypt(gateway, text('hello'), { ...bundle, identity }))
    assert.equal(phone.hasSession(gateway), false)
  })

  test('a one-time key that was used before', async () => {
    const [phone, device, other] = [annasPhone(), baileysDevice(gateway), baileysDevice(gateway)]
    const bundle = phone.takeBundle()
    await device.startSession(anna, bundle)
    await phone.decrypt(gateway, await write(device, 'first'))
    await other.startSession(anna, bundle)
    await assert.rejects(phone.decrypt({ ...gateway, device: 5 }, await write(other, 'second')))
  })

  test('a message whose padding is not what it says', () => {
    assert.throws(() => unpad(Buffer.from([1, 2, 3, 4, 2, 3])), /padding/)
    assert.throws(() => unpad(Buffer.alloc(20, 17)), /padding/)
    assert.throws(() => unpad(Buffer.alloc(3, 4)), /padding/)
    assert.throws(() => unpad(Buffer.alloc(0)), /padding/)
  })
})

test('Phones understand each other, also many messages at once', async () => {
  const [phone, other] = [annasPhone(), new Phone({ pn: '492', lid: '222', name: 'Ben' })]
  const ben = { user: '222', device: 0 }
  const words = Array.from({ length: 20 }, (_, index) => `message ${index}`)
  const bundle = other.takeBundle()
  const sent = await Promise.all(
    words.map((each, index) => phone.encrypt(ben, text(each), index === 0 ? bundle : undefined)),
  )
  const got = await Promise.all(sent.map((enc) => other.decrypt(anna, enc)))
  assert.deepEqual(got.map(heard), words)
})

test('What an account sent is told to its other devices in a wrapping', async () => {
  const [phone, device] = [annasPhone(), baileysDevice({ user: anna.user, device: 3 })]
  const copy = deviceSent('222@lid', text('to Ben'))
  const enc = await phone.encrypt(device.address, copy, await device.takeBundle())
  assert.deepEqual(messageCodec.decode(unpad(await device.decrypt(anna, enc))), copy)
})

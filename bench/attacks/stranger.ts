import { client, xml } from '@xmpp/client'
import { type Attack, createInstance, type Target } from './attack.ts'

const messageBytes = 240_000

/** An unknown sender with an account at an honest server writes long messages without end. */
export const longMessages: Attack = async (target) => {
  await unknownSenderWrites(target, 'x'.repeat(messageBytes), 30)
}

/** … or short ones, as many as the server lets through. */
export const manyMessages: Attack = async (target) => {
  await unknownSenderWrites(target, 'Buy now!', 1_000)
}

async function unknownSenderWrites(target: Target, body: string, perSecond: number): Promise<void> {
  const { xmpp } = target
  if (!xmpp) throw new Error('this attack needs an XMPP server')
  const { port, domain, account, unknownSender: stranger, password } = xmpp
  const service = `xmpp://127.0.0.1:${port}`
  await createInstance(target, {
    name: 'honest',
    network: 'xmpp',
    settings: { address: `${account}@${domain}`, service, allow_plaintext: true },
    credentials: { password },
  })
  const phone = client({ service, domain, username: stranger, password })
  phone.on('error', () => {})
  await phone.start()
  let sent = 0
  const begun = performance.now()
  setInterval(() => {
    const wanted = ((performance.now() - begun) / 1_000) * perSecond
    for (; sent < wanted; sent++) {
      const attributes = { to: `${account}@${domain}`, type: 'chat', id: `m${sent}` }
      void phone.send(xml('message', attributes, xml('body', {}, body))).catch(() => {})
    }
  }, 20)
}

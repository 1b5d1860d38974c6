import { createHmac } from 'node:crypto'
import type { Message } from '@grammyjs/types'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'
import { TestBot } from '../../simulators/telegram/test-bot.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { callbackSecret, signatureOf, written } from '../sandbox-callbacks.ts'

/** A network whose callbacks are altered. */
export interface Fuzzed {
  readonly network: string
  readonly instance: {
    readonly settings: Readonly<Record<string, unknown>>
    readonly credentials: Readonly<Record<string, unknown>>
  }
  /** The settings of the server without which there is no such network here. */
  readonly environment: Readonly<Record<string, string>>
  /** Its genuine posts, one of each kind. */
  genuine(post: string): Promise<readonly Buffer[]>
  /** The headers with which it would post this. */
  headersFor(body: Buffer): Readonly<Record<string, string>>
  /** Secrets that an attacker who altered this may have seen. */
  seenWith(body: Buffer): Readonly<Record<string, string>>
  /** A text from a person. */
  text(words: string, number: number): Buffer
  stop(): Promise<void>
}

export const fuzzedNetworks: readonly (() => Promise<Fuzzed>)[] = [sandbox, whatsAppCloud, telegram]

async function sandbox(): Promise<Fuzzed> {
  const signed = (body: Buffer) => ({ 'x-sandbox-signature': signatureOf(body) })
  return {
    network: 'sandbox',
    instance: { settings: {}, credentials: { token: callbackSecret } },
    environment: {},
    genuine: async () => ['Good morning', 'Grüße 👋'].map((text) => Buffer.from(written(text))),
    headersFor: signed,
    seenWith: signed,
    text: (words) => Buffer.from(written(words)),
    stop: async () => {},
  }
}

async function whatsAppCloud(): Promise<Fuzzed> {
  const cloud = await startWhatsAppCloud()
  const { token: access_token, appSecret: app_secret, number } = cloud
  const verify_token = 'a-word-of-our-own'
  const signed = (body: Buffer) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`,
  })
  return {
    network: 'whatsapp-cloud',
    instance: {
      settings: { phone_number_id: number },
      credentials: { access_token, app_secret, verify_token },
    },
    environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url },
    async genuine(callback) {
      await cloud.control('app', { callback, verify_token, subscribe: true })
      return everyKindOf(cloud)
    },
    headersFor: signed,
    seenWith: signed,
    text: (body, id) =>
      Buffer.from(
        JSON.stringify({
          object: 'whatsapp_business_account',
          entry: [
            {
              id: cloud.waba,
              changes: [
                {
                  field: 'messages',
                  value: {
                    messaging_product: 'whatsapp',
                    metadata: { display_phone_number: cloud.displayPhoneNumber, phone_number_id: number },
                    messages: [
                      {
                        from: '4915112345678',
                        id: `wamid.${id}`,
                        timestamp: '1700000000',
                        type: 'text',
                        text: { body },
                      },
                    ],
                  },
                },
              ],
            },
          ],
        }),
      ),
    stop: () => cloud.stop(),
  }
}

/** Collects the posts of Meta when people write, send and do all they can, and when something happens to the account. */
async function everyKindOf(cloud: WhatsAppCloud): Promise<Buffer[]> {
  const { user_id: ana } = await cloud.control('person', { phone: '4915112345678', wrote_ago: 1_000 })
  const id = await cloud.act(ana, { act: 'text', body: 'Are you open? 👋' })
  await cloud.act(ana, { act: 'text', body: 'Are you?', reply_to: id })
  const bytes = Buffer.from('a file').toString('base64')
  for (const [act, mime_type] of [
    ['image', 'image/jpeg'],
    ['document', 'application/pdf'],
    ['voice', 'audio/ogg; codecs=opus'],
    ['sticker', 'image/webp'],
  ] as const)
    await cloud.act(ana, { act, bytes, mime_type, caption: 'Look', filename: 'größe.pdf' })
  await cloud.act(ana, { act: 'location', latitude: 52.5, longitude: 13.4, name: 'Here' })
  await cloud.act(ana, { act: 'reaction', message_id: id, emoji: '👍' })
  await cloud.act(ana, { act: 'edit', message_id: id, body: 'Are you open now?' })
  await cloud.act(ana, { act: 'delete', message_id: id })
  await cloud.act(ana, { act: 'unsupported', type: 'poll_creation' })
  await everyContent(cloud, ana)
  await cloud.control('echo', { person: ana, body: 'From the phone' })
  await cloud.control('flood', { count: 3 })
  await cloud.control('announce', {
    field: 'account_update',
    value: {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: '1' }],
    },
  })
  await cloud.act(ana, { act: 'change-number', phone: '4915112345679' })
  return (await cloud.control('webhooks', {})).map(({ body }) => Buffer.from(body))
}

/** Has a person write what is neither a text nor a file. */
async function everyContent(cloud: WhatsAppCloud, ana: string): Promise<void> {
  const name = { formatted_name: 'Dr. Lima', first_name: 'Ana' }
  const phones = [{ phone: '+55 11 98765-4321', wa_id: '5511987654321' }]
  await cloud.act(ana, { act: 'contacts', cards: [{ name, phones, org: { company: 'Clinic' } }] })
  const item = { product_retailer_id: 'tea-1', quantity: 2, item_price: 4.5, currency: 'EUR' }
  await cloud.act(ana, { act: 'order', catalog_id: '7', text: 'By Friday', product_items: [item, item] })
  const response_json = JSON.stringify({ flow_token: 'x', size: ['M'], when: { day: 3 } })
  await cloud.act(ana, { act: 'submit', message_id: 'wamid.form', form: 'flow', response_json })
  const referral = {
    source_url: 'https://fb.me/1',
    source_id: '120',
    source_type: 'ad',
    headline: 'Tea',
    ctwa_clid: 'ARAkLkA8',
  } as const
  await cloud.act(ana, { act: 'text', body: 'Hello', referral })
  await cloud.act(ana, { act: 'text', body: 'Is it green?', product: 'tea-1' })
  await cloud.act(ana, { act: 'allow-calls' })
}

async function telegram(): Promise<Fuzzed> {
  const { control, url, stop } = await startTelegram({ after: () => {} })
  const { token } = await control.createBot({ username: 'Shop_bot' })
  // Telegram proves who it is by a secret, and not by the body: it is what `secretFor` of the driver documents.
  const header = 'x-telegram-bot-api-secret-token'
  const secret = (of: string) =>
    createHmac('sha256', of).update('posthorn telegram webhook').digest('base64url')
  return {
    network: 'telegram',
    instance: { settings: { updates: 'callback' }, credentials: { token } },
    environment: { POSTHORN_TELEGRAM_API: url, POSTHORN_BASE_URL: 'http://127.0.0.1:1' },
    async genuine() {
      // Another bot asks for its updates, which are as those that are posted.
      const polling = await control.createBot({ username: 'Other_bot' })
      // Reactions come only to bots that ask for them.
      const allowed = [
        ...['message', 'edited_message', 'channel_post', 'callback_query', 'poll_answer', 'message_reaction'],
        ...['my_chat_member', 'chat_member', 'chat_join_request'],
      ]
      await fetch(`${url}/bot${polling.token}/getUpdates?allowed_updates=${JSON.stringify(allowed)}`)
      await everyKindTo({ control, url }, polling.token)
      await everythingInGroups(control, polling.token)
      const answer = await fetch(`${url}/bot${polling.token}/getUpdates`)
      const { result } = (await answer.json()) as { result: object[] }
      return result.map((update) => Buffer.from(JSON.stringify(update)))
    },
    headersFor: () => ({ [header]: secret(token) }),
    seenWith: () => ({ [header]: secret(`${token}x`) }),
    text: (text, id) => {
      const chat = { id: 7_999_999_999, type: 'private', first_name: 'Ana' }
      const message = { message_id: 1_000_000 + id, date: 1_700_000_000, chat, from: chat, text }
      return Buffer.from(JSON.stringify({ update_id: 900_000_000 + id, message }))
    },
    stop,
  }
}

/** Has people write and send everything they can to a bot. */
async function everyKindTo(
  { control, url }: Pick<TelegramProcess, 'control' | 'url'>,
  token: string,
): Promise<void> {
  const chat = await control.createPerson({ first_name: 'Ana', username: 'ana_of_old' })
  const to = { token, chat }
  const first = await control.write({ ...to, text: 'Are you open? 👋' })
  await control.write({ ...to, text: 'Are you?', reply_to: first })
  const file = { base64: Buffer.from('a file').toString('base64'), filename: 'größe.pdf' }
  for (const kind of ['document', 'audio', 'voice', 'sticker'] as const)
    await control.write({ ...to, [kind]: file, caption: 'Look' })
  await control.write({ ...to, location: { latitude: 52.5, longitude: 13.4 } })
  await control.write({ ...to, contact: { phone_number: '5511987654321', first_name: 'Rui', vcard } })
  await control.edit({ ...to, message_id: first, text: 'Are you open now?' })
  const bot = new TestBot(url, token)
  const buttons = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] }
  const asked = await bot.say(chat, 'So?', { reply_markup: buttons })
  await control.tap({ ...to, message_id: asked.message_id, data: 'yes' })
  await control.react({ ...to, message_id: asked.message_id, reactions: [{ type: 'emoji', emoji: '👍' }] })
  const poll = { chat_id: chat, question: 'When?', options: ['Now', 'Never'], is_anonymous: false }
  const { message_id } = await bot.result<Message>('sendPoll', poll)
  await control.vote({ ...to, message_id, options: [1] })
}

/** Has people do everything in groups that bots are told of. */
async function everythingInGroups(control: TelegramProcess['control'], token: string): Promise<void> {
  const from = await control.createPerson({ first_name: 'Ben' })
  const member = await control.createPerson({ first_name: 'Cleo' })
  const chat = await control.createGroup({ type: 'supergroup', title: 'Choir' })
  await control.bring({ token, chat, from })
  await control.promote({ token, chat })
  await control.ask({ chat, from: member })
  await control.join({ chat, from, member })
  await control.appoint({ chat, from, member, status: 'administrator' })
  await control.rename({ chat, from, title: 'Band 🎺' })
  const topic = await control.createTopic({ chat, name: 'Orders' })
  await control.write({ chat, from, text: 'Where is it?', topic })
  await control.part({ chat, from, member })
  await control.announce({ chat, from, what: { delete_chat_photo: true } })
  const old = await control.createGroup({ type: 'group', title: 'Family', bots: [token] })
  await control.migrate({ chat: old })
  const channel = await control.createGroup({ type: 'channel', title: 'News', bots: [token] })
  await control.write({ chat: channel, text: 'New prices' })
  await control.setStanding({ token, chat, standing: 'kicked' })
}

const vcard = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Rui\r\nTEL:+55 11 98765-4321\r\nEND:VCARD\r\n'

import { setTimeout as wait } from 'node:timers/promises'
import { startWhatsAppCloud } from '../test/simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { connect, say } from './conversation.ts'
import type { NetworkDemo } from './network-demo.ts'

const phone = '4915112345678'
const verify_token = 'a-word-that-you-choose'

export const whatsappCloudDemo: NetworkDemo = {
  title: 'The WhatsApp Cloud API',
  async start() {
    const cloud = await startWhatsAppCloud()
    const { user_id: ada } = await cloud.control('person', { phone, receives: 'read' })
    const write = async (body: string) => {
      console.log(`\nAda writes to the number: ${body}`)
      await cloud.act(ada, { act: 'text', body })
      await wait(1_000)
    }
    return {
      url: cloud.url,
      environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url },
      recipient: `+${phone}`,
      stop: () => cloud.stop(),
      async converse(server) {
        const { callback_url } = await connect(server, {
          network: 'whatsapp-cloud',
          settings: { phone_number_id: cloud.number, business_account_id: cloud.waba },
          credentials: { access_token: cloud.token, app_secret: cloud.appSecret, verify_token },
        })
        const callback = `${server.url}${callback_url}`
        await cloud.control('app', { callback, verify_token, subscribe: true })
        console.log('The callback URL of the instance is entered at Meta, and was verified.')
        await write('Hello, is my order on its way?')
        await say(server, `+${phone}`, 'It left this morning.')
        await write('Thank you!')
      },
    }
  },
}

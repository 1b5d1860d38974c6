import { h } from 'preact'
import { CodeBlock } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { say } from '../../words/say.ts'

const snippet = `import { Webhook } from 'standardwebhooks'

// body: the bytes as they came; headers: webhook-id, webhook-timestamp, webhook-signature
const event = new Webhook(process.env.POSTHORN_SECRET).verify(body, headers)`

/** A secret that is shown this once, and how to use it. */
export function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return h(
    Dialog,
    { title: say('webhooks.secret'), onClose },
    h('p', { class: 'warning' }, say('webhooks.secret_once')),
    h(CodeBlock, { text: secret, label: say('webhooks.secret') }),
    h(Verification, null),
  )
}

/** Instructions by which a receiver makes sure that a delivery is from here. */
export function Verification() {
  return [
    h('h3', null, say('webhooks.verify')),
    h('p', null, say('webhooks.verify_what')),
    h(CodeBlock, { text: snippet, label: say('webhooks.verify') }),
  ]
}

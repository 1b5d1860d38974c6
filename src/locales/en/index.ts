import { charts } from './console/charts.ts'
import { conversations, groups } from './console/conversations.ts'
import { events } from './console/events.ts'
import { everywhere } from './console/everywhere.ts'
import { frame } from './console/frame.ts'
import { instanceForm } from './console/instance-form.ts'
import { instances } from './console/instances.ts'
import { keys } from './console/keys.ts'
import { linking } from './console/linking.ts'
import { message } from './console/message.ts'
import { messages } from './console/messages.ts'
import { networkFields } from './console/network-fields.ts'
import { audit, nodes, server } from './console/nodes.ts'
import { overview } from './console/overview.ts'
import { problems } from './console/problems.ts'
import { quotas } from './console/quotas.ts'
import { send } from './console/send.ts'
import { signIn } from './console/sign-in.ts'
import { statuses } from './console/statuses.ts'
import { webhooks } from './console/webhooks.ts'
import { linkPage } from './link-page.ts'

/** English words of Posthorn for people, for each of its pages. Every language has these keys and placeholders. */
export const en = {
  console: {
    audit,
    charts,
    conversations,
    events,
    everywhere,
    frame,
    groups,
    instance_form: instanceForm,
    instances,
    keys,
    linking,
    message,
    messages,
    network_fields: networkFields,
    nodes,
    overview,
    problems,
    quotas,
    send,
    server,
    sign_in: signIn,
    statuses,
    webhooks,
  },
  'link-page': linkPage,
} as const

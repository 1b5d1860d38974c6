import type { en } from '../en/index.ts'
import type { Translated } from '../phrase.ts'
import type { ServerWords } from '../server-words.ts'
import { deliveryFailures, disabled } from './codes/deliveries.ts'
import { errors } from './codes/errors.ts'
import { faults } from './codes/faults.ts'
import { fieldHints } from './codes/field-hints.ts'
import { findings } from './codes/findings.ts'
import { notices } from './codes/notices.ts'
import { reasons } from './codes/reasons.ts'
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

export const ptBR = {
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
    codes: {
      reasons,
      errors,
      notices,
      faults,
      delivery_failures: deliveryFailures,
      disabled,
      findings,
      hints: fieldHints,
    },
  },
  'link-page': linkPage,
} as const satisfies Translated<typeof en> & { console: { codes: ServerWords } }

import {
  deliveryFailures,
  instanceReasons,
  mediaErrors,
  messageErrors,
  webhookDisabledReasons,
} from '../codes.ts'
import { eventKinds, eventTypes } from '../event.ts'
import { tags as operationTags } from '../operations.ts'
import { problemCodes, problems } from '../problem.ts'
import {
  instanceStatuses,
  instanceStatusMeanings,
  messageStatuses,
  messageStatusMeanings,
} from '../statuses.ts'
import type { NetworkDescription, Tag, TagGroup } from './document.ts'
import { code, table } from './markdown.ts'
import { errorTable, networkTag } from './networks.ts'

/** The sections of the reference: those with operations, the networks, and the codes that do not depend on a network. */
export function tagsOf(networks: readonly NetworkDescription[]): readonly Tag[] {
  const withTables = operationTags.map(({ name, description }) => ({
    name,
    description: [description, ...(explanations[name] ?? [])].join('\n\n'),
  }))
  return [...withTables, ...networks.map(networkTag), reasonsTag, problemsTag]
}

/** How readers see the sections in groups. */
export function tagGroupsOf(networks: readonly NetworkDescription[]): readonly TagGroup[] {
  const groups = [
    { name: 'Operations', tags: operationTags.map(({ name }) => name) },
    { name: 'Networks', tags: networks.map(({ title }) => title) },
    { name: 'Codes', tags: [reasonsTag.name, problemsTag.name] },
  ]
  return groups.filter(({ tags }) => tags.length > 0)
}

/** What the sections with operations tell besides: the life of what they are about. */
const explanations: Readonly<Record<string, readonly string[]>> = {
  Instances: [
    table(
      ['Status', 'Meaning', '`action`'],
      instanceStatuses.map((status) => {
        const { meaning, action } = instanceStatusMeanings[status]
        return [code(status), meaning, code(action)]
      }),
    ),
  ],
  Messages: [
    table(
      ['Status', 'Meaning'],
      messageStatuses.map((status) => [code(status), messageStatusMeanings[status]]),
    ),
    '## When a file cannot be had',
    'Why a file cannot be sent, whatever the network: `error.code` of the message, or `code` of the value `/file` where it is found ' +
      'at once. A fetch that fails for a reason that may pass is tried again until the message expires; `error` says meanwhile what ' +
      'happened last. What is to be done counts once the message has `failed`.',
    errorTable(mediaErrors),
    '## When the server goes back to a backup',
    'Messages that were not settled in the backup are held, with this `error.code`: they stay `queued` or `sending`. Nobody knows ' +
      'what became of them since, so they never become `failed`, `expired` or `canceled`, but `unknown`, unless the network shows ' +
      'that they arrived.',
    errorTable(messageErrors),
    '## When no answer comes',
    'A connection may break before the network answers an attempt. Nobody can know then whether the message arrived. Where ' +
      'repetitions are told by their id (each network says so), the message stays `sending`, with `attempts` of 1 or more, and is ' +
      'repeated with the same id until the network answers. Meanwhile it cannot be canceled, and later messages to the same ' +
      'recipient wait behind it. It becomes `unknown` when its time is over first, when a later attempt is refused for good, or ' +
      'when the instance is removed. On other networks it becomes `unknown` at once. `expired` and `canceled` always mean that ' +
      'the message was not sent.',
    'The messages of an instance that was removed can still be read. What was on its way stays as it was: no confirmation reaches ' +
      'Posthorn any more.',
    '## Messages that come in',
    'What somebody writes to the account of an instance is kept as a message whose direction is `inbound`, once, however often ' +
      'the network delivers it, and told once by the event `message.received`. `conversation` is where an answer goes. What came ' +
      'while the instance was not connected follows when it is again, as far as the network keeps it; `sent_at` tells the order ' +
      'in which it was written.',
    'A file is fetched before its message is told. Until it is there, the message can be read and `media` holds no more than a name. ' +
      'A file that cannot be had within an hour is given up: the message is told without it, and `error` says why. What a file is, ' +
      'is found from its bytes; it may be harmful all the same.',
  ],
  Events: [
    table(
      ['Type', 'Meaning'],
      eventTypes.map((type) => [code(type), eventKinds[type].meaning]),
    ),
  ],
  Webhooks: [
    '## When an event does not arrive',
    'An answer with 2xx is a delivery, whatever its body is. Every other status is a failure; redirects are not followed. A ' +
      'delivery has ten attempts over some 75 hours: at once, then 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours after the ' +
      'one before, give or take a fifth of that. With 429 or 503, `Retry-After` is waited for where it is later, up to a day. Then ' +
      'the delivery has `failed`, and can be had again by redelivery for as long as the event is kept.',
    '## Batches',
    'With `batch` above 1, a request holds up to so many events: `{"events": [event, …]}`, signed as one, with the id of the batch ' +
      '(`bat_…`) as its `webhook-id`. Which events a batch has never changes: whenever it is sent again, it has the same id and the ' +
      'same bytes. An event may still come twice, in different batches, so tell events apart by the `id` that each of them has. A batch ' +
      'that is answered 413 is split into two at once, and one that fails twice for what it may hold, a second later: each half is a ' +
      'new batch, down to single events, and has ten attempts of its own. With 429, 502, 503 and 504, and if there is no connection, ' +
      'it stays as it is. `attempts` of a delivery name the batch.',
    '## When a receiver is slow',
    'A webhook begins with one request at a time. Each that arrives allows one more, up to a limit of the operator, and each that ' +
      'does not halves them. `pending`, `oldest_at` and `rate` of the webhook tell whether that is enough.',
    '## When a receiver fails',
    'A receiver that fails gets one attempt at a time. With `ordering: per_instance`, one that does not arrive holds up those of ' +
      'its instance behind it until it is given up; their `next_attempt_at` is null meanwhile.',
    'Why an attempt came to no status, `error.code` of the attempt:',
    errorTable(deliveryFailures),
    '## When a webhook is disabled',
    'Posthorn itself disables a webhook for one of these reasons, `disabled_reason.code`, and tells your other webhooks with an event ' +
      '`webhook.disabled`. What was pending for it has `failed` then. Once you enable it, it gets what happens from then on; ' +
      'redeliver what it missed.',
    errorTable(webhookDisabledReasons),
  ],
}

const reasonsTag: Tag = {
  name: 'Reasons',
  description: [
    'Why an instance has its status: `reason.code`. These reasons do not depend on the network; the others stand in the section ' +
      'of the network. Codes are stable, `detail` is for people.',
    table(
      ['Code', 'Status', 'What happened', 'What to do'],
      Object.entries(instanceReasons).map(([reason, { statuses, happened, next }]) => [
        code(reason),
        statuses.map(code).join(', '),
        happened,
        next,
      ]),
    ),
  ].join('\n\n'),
}

const problemsTag: Tag = {
  name: 'Problems',
  description: [
    'Every reply that is not a success is a problem as RFC 9457 describes it, `application/problem+json`. Build on `code`: codes are ' +
      'stable. `detail` is for people. `retryable` tells whether the same request may succeed later; repeat it with the same ' +
      '`Idempotency-Key`, and not before `Retry-After` where there is one. For `invalid_request`, `errors` names each invalid value ' +
      'by a JSON pointer. The `type` of a problem is a link that explains it. A path that does not exist is answered with ' +
      '`route_not_found`, a method that a path does not take with `method_not_allowed`.',
    table(
      ['Code', 'Status', 'Meaning', 'Retryable'],
      problemCodes.map((problem) => {
        const { status, retryable, title, explanation } = problems[problem]
        return [code(problem), String(status), `${title}. ${explanation}`, retryable ? 'yes' : 'no']
      }),
    ),
  ].join('\n\n'),
}

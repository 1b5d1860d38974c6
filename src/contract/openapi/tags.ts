import { code, markdownTable } from '../../runtime/text/markdown.ts'
import {
  deliveryFailures,
  instanceReasons,
  mediaErrors,
  messageErrors,
  webhookDisabledReasons,
} from '../codes.ts'
import { tags as operationTags } from '../operations.ts'
import { problemCodes, problems } from '../problems.ts'
import { eventKinds, eventTypes } from '../resources/event.ts'
import type { Network } from '../resources/network.ts'
import { waitReasonMeanings, waitReasons } from '../resources/waits-for.ts'
import {
  instanceStatuses,
  instanceStatusMeanings,
  messageStatuses,
  messageStatusMeanings,
} from '../statuses.ts'
import type { Tag, TagGroup } from './document.ts'
import { meaningTable, networkTag } from './networks.ts'

/** The sections of the reference: those with operations, the networks, and the codes that do not depend on a network. */
export function tagsOf(networks: readonly Network[]): readonly Tag[] {
  const withTables = operationTags.map(({ name, description }) => ({
    name,
    description: [description, ...(explanations[name] ?? [])].join('\n\n'),
  }))
  return [...withTables, ...networks.map(networkTag), callbacksTag, reasonsTag, problemsTag]
}

/** Groups the sections for readers. */
export function tagGroupsOf(networks: readonly Network[]): readonly TagGroup[] {
  const groups = [
    { name: 'Operations', tags: operationTags.map(({ name }) => name) },
    { name: 'Networks', tags: [...networks.map(({ title }) => title), callbacksTag.name] },
    { name: 'Codes', tags: [reasonsTag.name, problemsTag.name] },
  ]
  return groups.filter(({ tags }) => tags.length > 0)
}

const { held_after_restore, ...otherErrors } = messageErrors

/** Additional text for the sections with operations: the life of their resource. */
const explanations: Readonly<Record<string, readonly string[]>> = {
  Instances: [
    markdownTable(
      ['Status', 'Meaning', '`action`'],
      instanceStatuses.map((status) => {
        const { meaning, action } = instanceStatusMeanings[status]
        return [code(status), meaning, code(action)]
      }),
    ),
  ],
  Messages: [
    markdownTable(
      ['Status', 'Meaning'],
      messageStatuses.map((status) => [code(status), messageStatusMeanings[status]]),
    ),
    '## What a message waits for',
    'A message that you read while it is `queued` or `sending` says in `waits_for` what it waits for, with the first of these reasons ' +
      'that applies. Lists and events do not say it.',
    markdownTable(
      ['`reason`', 'Meaning'],
      waitReasons.map((reason) => [code(reason), waitReasonMeanings[reason]]),
    ),
    '## When a file cannot be sent',
    'These codes say why a file cannot be sent on any network. They are the `error.code` of the message or, if the ' +
      'server notices the fault at once, the `code` of the invalid value `/file`. If a fetch fails for a temporary reason, ' +
      'Posthorn retries it until the message expires; meanwhile, `error` gives the last failure. Follow the table once the ' +
      'message has `failed`.',
    meaningTable(mediaErrors),
    '## When a message cannot be sent on any network',
    'These codes are the `error.code` of a message on every network that has such a rule.',
    meaningTable(otherErrors),
    '## When the server is restored from a backup',
    'Messages that were not settled in the backup are held, with this `error.code`: they stay `queued` or `sending`. ' +
      'Posthorn cannot know what happened to them after the backup, so they never become `failed`, `expired` or ' +
      '`canceled`. They become `unknown`, unless the network shows that they arrived.',
    meaningTable({ held_after_restore }),
    '## When an attempt is uncertain',
    'A connection may break before the network acknowledges an attempt. Then Posthorn cannot know whether the message ' +
      'arrived. If the network recognizes repetitions by their id (see its section), the message stays `sending`, with ' +
      '`attempts` of 1 or more, and Posthorn repeats it with the same id until the network acknowledges it. Meanwhile you ' +
      'cannot cancel it, and later messages to the same recipient wait behind it. It becomes `unknown` if it expires ' +
      'first, if the network rejects a later attempt permanently, or if the instance is removed. On other networks it ' +
      'becomes `unknown` at once. `expired` and `canceled` always mean that the message was not sent.',
    'You can still read the messages of an instance that was removed. The status of its sent messages no longer changes, ' +
      'because no receipt reaches Posthorn.',
    '## Incoming messages',
    'Posthorn stores each message that a person writes to the account of an instance once, with the direction `inbound`, and ' +
      'reports it once, by the event `message.received`, even if the network delivers it more often. To reply, send a message ' +
      'to its `conversation`. Messages that were sent while the instance was not connected follow after it reconnects, if the ' +
      'network kept them; `sent_at` gives the order in which they were written.',
    'Only a message that could not be decrypted may be reported twice: first as `unsupported` with the type `undecryptable`, ' +
      'and then with its content if its sender sends it again. Both events have the same message `id`, so replace the first ' +
      'message that you stored.',
    'Posthorn fetches a file before it reports the message. Until then you can read the message, and `media` holds only ' +
      'a name. If the file cannot be fetched within an hour, the event follows without it, and `error` says why. The type ' +
      'of a file is detected from its bytes; the file may be harmful all the same.',
  ],
  Events: [
    markdownTable(
      ['Type', 'Meaning'],
      eventTypes.map((type) => [code(type), eventKinds[type].meaning]),
    ),
  ],
  Webhooks: [
    '## When an event does not arrive',
    'A response with 2xx counts as delivered, with any body. Every other status is a failure; Posthorn does not follow redirects. A ' +
      'delivery has ten attempts over about 75 hours: at once, then 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours after the ' +
      'previous one, give or take a fifth. After 429 or 503, Posthorn waits for `Retry-After` if that is later, up to a day. After ' +
      'the last attempt the delivery has `failed`. You can redeliver it for as long as the event is kept.',
    '## Batches',
    'If `batch` is above 1, a request holds up to that many events: `{"events": [event, …]}`. It is signed as a whole, ' +
      'with the id of the batch (`bat_…`) as its `webhook-id`. The events in a batch never change: each time it is sent, ' +
      'it has the same id and the same bytes. An event may still arrive twice, in different batches, so deduplicate events ' +
      'by their own `id`. After a 413, Posthorn splits a batch in two at once. If a batch fails twice, possibly because of ' +
      'its content, Posthorn splits it a second later. Each half is a new batch, down to single events, and has ten ' +
      'attempts of its own. Posthorn does not split a batch after 429, 502, 503 or 504, or if there is no connection. The ' +
      '`attempts` of a delivery contain the id of the batch.',
    '## When a receiver is slow',
    'A webhook starts with one request at a time. Each success allows one more concurrent request, up to the limit that the operator ' +
      'set; each failure halves the number. `pending`, `oldest_at` and `rate` of the webhook show whether its receiver keeps up.',
    '## When a receiver fails',
    'A failing receiver gets one attempt at a time. With `ordering: per_instance`, later deliveries of the same instance ' +
      'wait until a failing one succeeds or has `failed`; meanwhile, their `next_attempt_at` is null.',
    'If an attempt ends without an HTTP status, its `error.code` says why:',
    meaningTable(deliveryFailures),
    '## When a webhook is disabled',
    'Posthorn disables a webhook by itself for one of these reasons (`disabled_reason.code`), and sends the event `webhook.disabled` to ' +
      'your other webhooks. Its pending deliveries have then `failed`. Once you enable the webhook, it gets new events; ' +
      'redeliver those it missed.',
    meaningTable(webhookDisabledReasons),
  ],
}

const callbacksTag: Tag = {
  name: 'Callbacks',
  description: [
    'Some networks report what happens, for example a new message, by a request to a URL of this server: a *callback*. Each ' +
      'instance of such a network has a URL of its own, `callback_url`, in its record. Enter it at the network, if its section ' +
      'says so. Your programs never call it. If the instance uses an app of the operator, `callback_url` is the URL that the ' +
      'operator has entered, the same for all such instances: an instance gets the callbacks about an account once it has ' +
      'proven, with its own credentials, that it can reach the account, and only one instance of the server gets them ' +
      '(`account_taken`).',
    '`GET` and `POST /v1/callbacks/{network}/{token}` need no key. The token identifies the instance, and the network proves ' +
      'by a signature or a secret that it sent the request. Without that proof, the request is refused and not stored. A ' +
      'callback is on disk before Posthorn responds with 200. Callbacks are handled in order, while the instance is connected, ' +
      'and at least once: each message appears once, because Posthorn recognizes it by its id. If handling a callback fails ' +
      'five times, Posthorn skips it, and the log says so.',
    'While an instance is stopped or cannot connect, its callbacks wait, up to the limits that the operator set; `GET ' +
      '/v1/quotas` shows how many wait. Beyond these limits, the response is 503 `callback_not_accepted`, and the network ' +
      'repeats the callback later. When the instance is removed, its waiting callbacks are deleted, and its URL returns 404.',
    'For the operator: the network must reach the server at `POSTHORN_BASE_URL`, over HTTPS with a certificate that it ' +
      'accepts. `docs/configuration.md` says what a reverse proxy must forward, and how many callbacks may wait. The ' +
      'metrics `posthorn_callbacks_total` and `posthorn_callbacks_waiting` count received and waiting callbacks.',
  ].join('\n\n'),
}

const reasonsTag: Tag = {
  name: 'Reasons',
  description: [
    '`reason.code` says why an instance has its status. These reasons do not depend on the network; the others are in the section ' +
      'of the network. Codes are stable; `detail` is for people to read.',
    markdownTable(
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
    'Every unsuccessful response is a problem as defined by RFC 9457, `application/problem+json`. Rely on `code`: codes ' +
      'are stable. `detail` is for people to read. `retryable` says whether the same request may succeed later; repeat it ' +
      'with the same `Idempotency-Key`, and wait for `Retry-After` if there is one. For `invalid_request`, `errors` lists ' +
      'each invalid value by a JSON pointer. The `type` of a problem links to its explanation. A path that does not exist ' +
      'returns `route_not_found`, and a method that a path does not support `method_not_allowed`. Every path that supports ' +
      '`GET` also supports `HEAD`: the same response without its body.',
    markdownTable(
      ['Code', 'Status', 'Meaning', 'Retryable'],
      problemCodes.map((problem) => {
        const { status, retryable, title, explanation } = problems[problem]
        return [code(problem), String(status), `${title}. ${explanation}`, retryable ? 'yes' : 'no']
      }),
    ),
  ].join('\n\n'),
}

import { instanceReasons, mediaErrors } from './codes.ts'
import { instanceStatuses, instanceStatusMeanings } from './instance.ts'
import { messageStatuses, messageStatusMeanings } from './message.ts'
import type { NetworkDescription, Tag, TagGroup } from './openapi-document.ts'
import { code, table } from './openapi-markdown.ts'
import { errorTable, networkTag } from './openapi-networks.ts'
import { tags as operationTags } from './operations.ts'
import { problemCodes, problems } from './problem.ts'

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
    '## When no answer comes',
    'A connection may break before the network answers an attempt. Nobody can know then whether the message arrived. Where ' +
      'repetitions are told by their id (each network says so), the message stays `sending`, with `attempts` of 1 or more, and is ' +
      'repeated with the same id until the network answers. Meanwhile it cannot be canceled, and later messages to the same ' +
      'recipient wait behind it. It becomes `unknown` when its time is over first, when a later attempt is refused for good, or ' +
      'when the instance is removed. On other networks it becomes `unknown` at once. `expired` and `canceled` always mean that ' +
      'the message was not sent.',
    'The messages of an instance that was removed can still be read. What was on its way stays as it was: no confirmation reaches ' +
      'Posthorn any more.',
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

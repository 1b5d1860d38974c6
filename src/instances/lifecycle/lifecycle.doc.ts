import { writeFileSync } from 'node:fs'
import { type InstanceStatus, instanceStatuses, instanceStatusMeanings } from '../../contract/statuses.ts'
import { code, markdownTable } from '../../runtime/text/markdown.ts'
import { type Input, inputs, lifecycle, type Move } from './lifecycle.ts'

/** The document with the drawing of the lifecycle. */
export const lifecycleDocument = new URL('../../../docs/instance-lifecycle.md', import.meta.url)

/** The command that brings the drawing up to date. */
export const writeLifecycleHint = 'node src/instances/lifecycle/lifecycle.doc.ts --write'

/** The lifecycle as Markdown: a drawing for people, and the table that it was drawn from. */
export function describeLifecycle(): string {
  return [
    '# The lifecycle of an instance',
    `\`${writeLifecycleHint}\` generates this page from \`src/instances/lifecycle/lifecycle.ts\`; a test compares the two. A new ` +
      'instance is `connecting`. Each move gives the next status of the instance and the effects to carry out.',
    ['```mermaid', 'stateDiagram-v2', '  [*] --> connecting: create', ...arrows(), '```'].join('\n'),
    '## Who acts next',
    markdownTable(
      ['Status', '`action`'],
      instanceStatuses.map((status) => [code(status), code(instanceStatusMeanings[status].action)]),
    ),
    '## The table',
    'The move for every status (across) and every input (down). An empty cell changes nothing. A move that names no status keeps the current one.',
    markdownTable(
      ['', ...instanceStatuses.map(code)],
      inputs.map((input) => [code(input), ...instanceStatuses.map((status) => cell(status, input))]),
    ),
    '## Effects',
    markdownTable(
      ['Effect', 'Meaning'],
      [
        [
          '`disconnect`',
          'Close the connection, if there is one, and cancel the scheduled attempt, without logging out.',
        ],
        ['`connect`', 'Open a connection.'],
        ['`schedule-attempt`', 'Schedule the next attempt, with backoff.'],
        ['`undo`', 'Cancel queued messages, and undo what creating the instance did at the network.'],
        ['`erase`', 'Delete the instance. Its messages stay.'],
      ],
    ),
    '',
  ].join('\n\n')
}

/** One arrow for each pair of statuses, naming every input that leads from one to the other. */
function arrows(): string[] {
  const lines: string[] = []
  for (const from of instanceStatuses) {
    const byTarget = Map.groupBy(inputs, (input) => target(lifecycle[from][input]))
    for (const [to, names] of byTarget)
      if (to !== from) lines.push(`  ${from} --> ${to}: ${names.join(', ')}`)
  }
  return lines
}

function target([next, ...effects]: Move): InstanceStatus | '[*]' {
  return effects.includes('erase') ? '[*]' : next
}

function cell(status: InstanceStatus, input: Input): string {
  const [next, ...effects] = lifecycle[status][input]
  const moves = next === status ? [] : [`**${next}**`]
  return [...moves, ...effects].join(', ')
}

if (import.meta.main && process.argv.includes('--write'))
  writeFileSync(lifecycleDocument, describeLifecycle())

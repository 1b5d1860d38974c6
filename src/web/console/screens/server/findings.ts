import { h } from 'preact'
import { useContext } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import type { Answer } from '../../core/operations.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { linkTo } from '../../core/router.ts'
import { Badge } from '../../parts/badge.ts'
import { Card } from '../../parts/card.ts'
import { Icon } from '../../parts/icon.ts'
import { Prose } from '../../parts/prose.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { findingText } from '../../words/server-texts.ts'
import type { Tone } from '../../words/statuses.ts'

export type Health = Answer<'getServer'>
type Finding = Health['findings'][number]

const tones: Readonly<Record<Finding['severity'], Tone>> = {
  critical: 'bad',
  warning: 'attention',
  notice: 'idle',
}

/** Screens that show more of what a finding is about. */
const screensAbout: Readonly<Record<string, string>> = {
  instances_need_person: 'organizations',
  quotas_exhausted: 'organizations',
  nodes_silent: 'nodes',
  versions_differ: 'nodes',
}

/** All that a person should know of the server, the most severe first, each with what to do. */
export function Findings({ health: { findings, checked_at } }: { readonly health: Health }) {
  const isKnown = useContext(Known)
  const checked = h('span', { class: 'small' }, say('server.checked'), ' ', h(Age, { at: checked_at }))
  if (findings.length === 0)
    return h(
      'section',
      { class: isKnown ? 'panel good all-well' : 'panel all-well' },
      h('p', { role: 'status' }, say(isKnown ? 'overview.all_well' : 'overview.all_was_well')),
      checked,
    )
  const isUrgent = findings.some(({ severity }) => severity !== 'notice')
  return h(
    Card,
    {
      id: 'findings',
      title: say(isUrgent ? 'overview.needs_you' : 'server.good_to_know'),
      aside: h('span', { class: 'checked' }, checked, h('span', { class: 'count' }, number(findings.length))),
    },
    h(
      'ul',
      { class: 'rows needs' },
      findings.map((finding) => h(FindingRow, { key: finding.code, finding })),
    ),
  )
}

function FindingRow({ finding }: { readonly finding: Finding }) {
  const { code, severity, count, since } = finding
  const { happened, next, language } = findingText(finding)
  const screen = screensAbout[code]
  const title = h(Prose, { text: happened })
  return h(
    'li',
    { class: `need ${tones[severity]}`, lang: language },
    h(Icon, { name: severity === 'notice' ? 'clock' : 'alert' }),
    h(
      'div',
      { class: 'what' },
      h(
        'div',
        { class: 'need-title' },
        screen ? h('a', { class: 'whole', href: linkTo([screen]) }, title) : h('strong', null, title),
        h(Badge, { tone: tones[severity], text: say(`server.severities.${severity}`) }),
        count !== null && h('span', { class: 'count' }, number(count)),
        since !== null && h('span', { class: 'small' }, h(Age, { at: since })),
      ),
      h('span', { class: 'small next-step' }, h(Prose, { text: next })),
    ),
  )
}

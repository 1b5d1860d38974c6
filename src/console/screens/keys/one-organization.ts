import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { shownCall } from '../../core/curl.ts'
import { number } from '../../core/language.ts'
import type { Answer } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { useCall } from '../../core/use-call.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { keysOf } from './key-calls.ts'
import { Keys } from './keys.ts'
import { say } from './words.ts'

type Quotas = Answer<'getOrganizationQuotas'>

/** One organization, for the operator: what it uses, and its keys. */
export function screen({ params }: ScreenProps) {
  const organization = params.organization ?? ''
  const request = { params: { organization } }
  const { data, error, reload } = useCall('getOrganizationQuotas', request)
  const calls = useMemo(() => keysOf(organization), [organization])
  return h(
    Screen,
    {
      title: organization,
      parent: { title: say('organizations'), link: linkTo(['organizations']) },
      calls: [shownCall('getOrganizationQuotas', request), shownCall('listOrganizationKeys', request)],
    },
    error !== undefined && h(Failure, { error, onRetry: reload }),
    data &&
      h('section', { class: 'panel' }, h('h2', null, say('quotas')), h(Facts, { facts: factsOf(data) })),
    data && h('h2', null, say('keys')),
    data && h(Keys, { calls }),
  )
}

function factsOf(quotas: Quotas): Readonly<Record<string, string>> {
  const names = Object.keys(quotas) as (keyof Quotas)[]
  return Object.fromEntries(
    names.map((name) => {
      const { used, limit } = quotas[name]
      return [
        say(name),
        limit === null ? say('used', { used }) : say('remaining', { used, limit: number(limit) }),
      ]
    }),
  )
}

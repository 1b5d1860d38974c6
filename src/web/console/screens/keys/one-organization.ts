import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { linkTo } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { QuotaTable } from '../../parts/quotas.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { say } from '../../words/say.ts'
import { keysOf } from './key-calls.ts'
import { Keys } from './keys.ts'
import { WordsCard } from './marketing-words.ts'
import { ActivityCard } from './organization-activity.ts'

/** One organization, for the operator: what it does and uses, the words of its instances, and its keys. */
export function screen({ params }: ScreenProps) {
  const organization = params.organization ?? ''
  const request = { params: { organization } }
  const { data, error, reload, change } = useCall('getOrganization', request)
  const calls = useMemo(() => keysOf(organization), [organization])
  return h(
    Screen,
    {
      title: organization,
      parent: { title: say('keys.organizations'), link: linkTo(['organizations']) },
      calls: [shownCall('getOrganization', request), shownCall('listOrganizationKeys', request)],
    },
    h(Failure, { error, onRetry: reload }),
    !data && error === undefined && h(Skeleton, null),
    data && h(ActivityCard, { organization: data }),
    data && h(WordsCard, { organization: data, onChange: (changed) => change(() => changed) }),
    data && h('h2', null, say('quotas.title')),
    data && h(QuotaTable, { quotas: data.usage }),
    data && h('h2', null, say('keys.keys')),
    data && h(Keys, { calls }),
  )
}

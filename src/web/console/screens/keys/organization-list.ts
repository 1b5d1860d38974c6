import { h } from 'preact'
import { useState } from 'preact/hooks'
import { bytes, number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import { bindToLink, fromHere, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { FailedShare, InstanceCounts } from './organization-activity.ts'
import {
  inOrderOf,
  numberIn,
  type OrganizationOrder,
  organizationOrders,
  titleOfOrder,
} from './organization-order.ts'

type Organization = ItemOf<'listOrganizations'>

/** Every organization of the server, for its operator. */
export function screen({ query }: ScreenProps) {
  const order = organizationOrders.find((each) => each === query.sort)
  const pages = usePages('listOrganizations', { query: { limit: 100 } })
  const [isCreating, setCreating] = useState(false)
  return h(
    Screen,
    {
      title: say('keys.organizations'),
      calls: [shownCall('listOrganizations')],
      actions: h(
        Button,
        { look: 'primary', onClick: () => setCreating(true) },
        say('keys.create_organization'),
      ),
    },
    h(
      'div',
      { class: 'list-order' },
      h(ChoiceField<string>, {
        ...bindToLink(['organizations'], query)('sort', true),
        label: say('keys.sort_by'),
        values: organizationOrders,
        nameOf: (each) => titleOfOrder(each as OrganizationOrder),
        none: say('everywhere.name'),
        hint: order && pages.hasMore && say('keys.sorted_of', { count: pages.items.length }),
      }),
    ),
    h(Organizations, { items: inOrderOf(order, pages.items), order }),
    h(ListEnd, { ...pages, empty: h('p', null, say('keys.no_organizations')) }),
    isCreating && h(CreateOrganization, { onClose: () => setCreating(false) }),
  )
}

interface OrganizationsProps {
  readonly items: readonly Organization[]
  /** Undefined if they are sorted by name. */
  readonly order: OrganizationOrder | undefined
}

/** The organizations with their use, in this order. */
function Organizations({ items, order }: OrganizationsProps) {
  const column = (of: OrganizationOrder) => ({
    title: titleOfOrder(of),
    sorted: of === order ? ('descending' as const) : undefined,
  })
  return h(Table<Organization>, {
    caption: say('keys.organizations'),
    items,
    keyOf: ({ id }) => id,
    linkOf: ({ name }) => linkTo(['organizations', name]),
    columns: [
      {
        title: say('everywhere.name'),
        sorted: order ? undefined : ('ascending' as const),
        cell: ({ name }) => name,
      },
      {
        ...column('instances'),

        cell: ({ instances }) => h(InstanceCounts, { instances }),
      },
      { ...column('accepted'), isNumber: true, cell: (each) => number(numberIn('accepted', each)) },
      {
        ...column('failed'),
        isNumber: true,
        cell: ({ last_24_hours: traffic }) =>
          traffic.failed_share === null ? null : h(FailedShare, { traffic }),
      },
      { ...column('unsettled'), isNumber: true, cell: (each) => number(numberIn('unsettled', each)) },
      { ...column('stored'), isNumber: true, cell: (each) => bytes(numberIn('stored', each)) },
    ],
  })
}

function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const create = async () => {
    const goOn = fromHere()
    await call('createOrganization', { body: { name } })
    goOn(['organizations', name])
  }
  return h(
    Confirm,
    {
      title: say('keys.create_organization'),
      onConfirm: create,
      onClose,
    },
    h(TextField, {
      label: say('everywhere.name'),
      hint: say('keys.organization_name_hint'),
      value: name,
      onChange: setName,
      required: true,
    }),
  )
}

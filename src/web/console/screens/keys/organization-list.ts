import { h } from 'preact'
import { useState } from 'preact/hooks'
import { bytes, number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import { fromHere, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Screen } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { FailedShare, InstanceCounts } from './organization-activity.ts'

type Organization = ItemOf<'listOrganizations'>

/** Every organization of the server, for its operator. */
export function screen() {
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
    h(Table<Organization>, {
      caption: say('keys.organizations'),
      items: pages.items,
      keyOf: ({ id }) => id,
      linkOf: ({ name }) => linkTo(['organizations', name]),
      columns: [
        { title: say('everywhere.name'), cell: ({ name }) => name },
        { title: say('server.instances'), cell: ({ instances }) => h(InstanceCounts, { instances }) },
        {
          title: say('keys.accepted_in_day'),
          isNumber: true,
          cell: ({ last_24_hours: { accepted } }) => number(accepted),
        },
        {
          title: say('keys.failed_in_day'),
          isNumber: true,
          cell: ({ last_24_hours }) => h(FailedShare, { traffic: last_24_hours }),
        },
        {
          title: say('quotas.names.unsettled_messages'),
          isNumber: true,
          cell: ({ usage }) => number(usage.unsettled_messages.used),
        },
        {
          title: say('keys.stored'),
          isNumber: true,
          cell: ({ usage }) => bytes(usage.stored_bytes.used + usage.file_bytes.used),
        },
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('keys.no_organizations')) }),
    isCreating && h(CreateOrganization, { onClose: () => setCreating(false) }),
  )
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

import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { amountOf } from '../../parts/quotas.ts'
import { Screen } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

type Organization = ItemOf<'listOrganizations'>

const shownQuotas = ['unsettled_messages', 'incoming_messages', 'file_bytes'] as const

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
        { title: say('everywhere.created'), cell: ({ created_at }) => h(Time, { at: created_at }) },
        ...shownQuotas.map((quota) => ({
          title: say(`quotas.names.${quota}`),
          cell: ({ usage }: Organization) => amountOf(quota, usage[quota].used),
        })),
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('keys.no_organizations')) }),
    isCreating && h(CreateOrganization, { onClose: () => setCreating(false) }),
  )
}

function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const create = async () => {
    await call('createOrganization', { body: { name } })
    goTo(['organizations', name])
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

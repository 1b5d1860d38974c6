import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { number } from '../../core/language.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { type ItemOf, usePages } from '../../core/use-pages.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/confirm.ts'
import { TextField } from '../../parts/fields.ts'
import { Screen } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { say } from './words.ts'

type Organization = ItemOf<'listOrganizations'>

/** Every organization of the server, for its operator. */
export function screen() {
  const pages = usePages('listOrganizations', { query: { limit: 100 } })
  const [isCreating, setCreating] = useState(false)
  return h(
    Screen,
    {
      title: say('organizations'),
      calls: [shownCall('listOrganizations')],
      actions: h(Button, { look: 'primary', onClick: () => setCreating(true) }, say('create_organization')),
    },
    h(Table<Organization>, {
      caption: say('organizations'),
      items: pages.items,
      keyOf: ({ id }) => id,
      linkOf: ({ name }) => linkTo(['organizations', name]),
      columns: [
        { title: sayEverywhere('name'), cell: ({ name }) => name },
        { title: sayEverywhere('created'), cell: ({ created_at }) => h(Time, { at: created_at }) },
        { title: say('unsettled_messages'), cell: ({ usage }) => number(usage.unsettled_messages.used) },
        { title: say('incoming_messages'), cell: ({ usage }) => number(usage.incoming_messages.used) },
        { title: say('file_bytes'), cell: ({ usage }) => number(usage.file_bytes.used) },
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('no_organizations')) }),
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
    { title: say('create_organization'), action: say('create_organization'), onConfirm: create, onClose },
    h(TextField, {
      label: sayEverywhere('name'),
      hint: say('organization_name_hint'),
      value: name,
      onChange: setName,
      required: true,
    }),
  )
}

import { h } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/confirm.ts'
import { CodeBlock, Copy } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { CheckField } from '../../parts/fields.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age, Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import type { Key, KeyCalls } from './key-calls.ts'
import { KeyForm } from './key-form.ts'
import { say } from './words.ts'

interface KeysProps {
  readonly calls: KeyCalls
  /** The id of the key that is signed in. */
  readonly own?: string | undefined
}

/** The keys of an organization: a new one is shown once, and a revoked one is refused from then on. */
export function Keys({ calls, own }: KeysProps) {
  const [isRevoked, setRevoked] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<string>()
  const [revoking, setRevoking] = useState<Key>()
  const pages = calls.useKeys(isRevoked)
  return h(
    'section',
    null,
    h(
      'p',
      { class: 'actions' },
      h(Button, { look: 'primary', onClick: () => setCreating(true) }, say('create_key')),
      h(CheckField, { label: say('show_revoked'), checked: isRevoked, onChange: setRevoked }),
    ),
    h(Table<Key>, {
      caption: say('keys'),
      items: pages.items,
      keyOf: ({ id }) => id,
      columns: columnsWith((key) => setRevoking(key)),
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('no_keys')) }),
    isCreating &&
      h(KeyForm, {
        calls,
        onClose: () => setCreating(false),
        onCreated: (key) => {
          setCreating(false)
          setCreated(key)
          pages.reload()
        },
      }),
    created !== undefined && h(CreatedKey, { text: created, onClose: () => setCreated(undefined) }),
    revoking &&
      h(
        Confirm,
        {
          title: say('revoke'),
          action: say('revoke'),
          typed: revoking.hint,
          onConfirm: async () => {
            await calls.revoke(revoking.id)
            pages.reload()
          },
          onClose: () => setRevoking(undefined),
        },
        h('p', null, say('revoke_what')),
        revoking.id === own && h('p', { class: 'warning' }, say('own')),
      ),
  )
}

function columnsWith(revoke: (key: Key) => void) {
  return [
    { title: sayEverywhere('name'), cell: ({ name, hint }: Key) => name ?? hint },
    {
      title: say('key'),
      isShort: true,
      cell: ({ hint, id }: Key) =>
        h(
          'span',
          { class: 'copyable' },
          h('code', null, `${hint}…`),
          h(Copy, { text: id, label: say('copy_id') }),
        ),
    },
    { title: say('role'), isShort: true, cell: ({ role }: Key) => role },
    { title: say('instances'), cell: ({ instances }: Key) => instances?.join(', ') ?? say('instances_all') },
    { title: sayEverywhere('status'), cell: (key: Key) => h(KeyBadge, { apiKey: key }) },
    { title: say('expires'), cell: ({ expires_at }: Key) => h(Time, { at: expires_at }) },
    { title: say('last_used'), isShort: true, cell: ({ last_used_at }: Key) => h(Age, { at: last_used_at }) },
    {
      title: say('revoke'),
      cell: (key: Key) => (key.revoked_at ? '–' : h(Button, { onClick: () => revoke(key) }, say('revoke'))),
    },
  ]
}

function KeyBadge({ apiKey }: { readonly apiKey: Key }) {
  if (apiKey.revoked_at) return h(Badge, { tone: 'idle', text: say('revoked') })
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now()
  return h(Badge, isExpired ? { tone: 'idle', text: say('expired') } : { tone: 'good', text: say('active') })
}

function CreatedKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return h(
    Dialog,
    { title: say('key'), onClose },
    h('p', { class: 'warning' }, say('key_once')),
    h(CodeBlock, { text, label: say('key') }),
  )
}

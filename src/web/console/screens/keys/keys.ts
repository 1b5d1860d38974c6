import { h } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock, Copy } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { CheckField } from '../../parts/forms/fields.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import type { Key, KeyCalls } from './key-calls.ts'
import { KeyForm } from './key-form.ts'

interface KeysProps {
  readonly calls: KeyCalls
  /** The id of the key that is signed in. */
  readonly own?: string | undefined
  /** True if the place asks for the form of a new key. */
  readonly isAskedForNew?: boolean
  readonly onNewClosed?: () => void
}

/** The keys of an organization: a new one is shown once, and a revoked one is refused from then on. */
export function Keys({ calls, own, isAskedForNew = false, onNewClosed }: KeysProps) {
  const [isRevoked, setRevoked] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<string>()
  const [revoking, setRevoking] = useState<Key>()
  const pages = calls.useKeys(isRevoked)
  const closeNew = () => {
    setCreating(false)
    onNewClosed?.()
  }
  return h(
    'section',
    null,
    h(
      'p',
      { class: 'actions' },
      h(Button, { look: 'primary', onClick: () => setCreating(true) }, say('keys.create_key')),
      h(CheckField, { label: say('keys.show_revoked'), checked: isRevoked, onChange: setRevoked }),
    ),
    h(Table<Key>, {
      caption: say('keys.keys'),
      items: pages.items,
      keyOf: ({ id }) => id,
      columns: columnsWith(calls, (key) => setRevoking(key)),
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('keys.no_keys')) }),
    (isCreating || isAskedForNew) &&
      h(KeyForm, {
        calls,
        onClose: closeNew,
        onCreated: (key) => {
          closeNew()
          setCreated(key)
          pages.reload()
        },
      }),
    created !== undefined && h(CreatedKey, { text: created, onClose: () => setCreated(undefined) }),
    revoking &&
      h(
        Confirm,
        {
          title: say('keys.revoke'),
          about: revoking.name ?? revoking.hint,
          typed: revoking.hint,
          onConfirm: async () => {
            await calls.revoke(revoking.id)
            pages.reload()
          },
          onClose: () => setRevoking(undefined),
        },
        h('p', null, say('keys.revoke_what')),
        revoking.id === own && h('p', { class: 'warning' }, say('keys.own')),
      ),
  )
}

function columnsWith({ auditLink }: KeyCalls, revoke: (key: Key) => void) {
  return [
    {
      title: say('everywhere.name'),
      // With the link below it: the table is as wide as it can be already.
      cell: ({ id, name, hint }: Key) => [
        name ?? hint,
        h(
          'div',
          { class: 'small' },
          h(
            'a',
            { href: auditLink(id), 'aria-label': say('keys.changes_of', { name: name ?? hint }) },
            say('keys.changes'),
          ),
        ),
      ],
    },
    {
      title: say('keys.key'),
      onPhone: 'below' as const,
      isShort: true,
      cell: ({ hint, id }: Key) =>
        h(
          'span',
          { class: 'copyable' },
          h('code', null, `${hint}…`),
          h(Copy, { text: id, label: say('keys.copy_id') }),
        ),
    },
    {
      title: say('keys.role'),
      onPhone: 'below' as const,
      cell: ({ role }: Key) => h('span', { title: role }, say(`keys.roles.${role}`)),
    },
    {
      title: say('keys.instances'),
      cell: ({ instances }: Key) => instances?.join(', ') ?? say('keys.instances_all'),
    },
    {
      title: say('everywhere.status'),
      onPhone: 'beside' as const,
      cell: (key: Key) => h(KeyBadge, { apiKey: key }),
    },
    { title: say('keys.expires'), cell: ({ expires_at: at }: Key) => at && h(Time, { at }) },
    {
      title: say('keys.last_used'),
      isShort: true,
      cell: ({ last_used_at: at }: Key) => (at ? h(Age, { at }) : say('keys.never_used')),
    },
    {
      title: say('keys.revoke'),
      onPhone: 'end' as const,
      cell: (key: Key) =>
        key.revoked_at ? '–' : h(Button, { onClick: () => revoke(key) }, say('keys.revoke')),
    },
  ]
}

function KeyBadge({ apiKey }: { readonly apiKey: Key }) {
  if (apiKey.revoked_at) return h(Badge, { tone: 'idle', text: say('keys.revoked') })
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now()
  return h(
    Badge,
    isExpired ? { tone: 'idle', text: say('keys.expired') } : { tone: 'good', text: say('keys.active') },
  )
}

function CreatedKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return h(
    Dialog,
    { title: say('keys.key'), onClose },
    h('p', { class: 'warning' }, say('keys.key_once')),
    h(CodeBlock, { text, label: say('keys.key') }),
  )
}

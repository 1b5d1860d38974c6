import { h } from 'preact'
import { useState } from 'preact/hooks'
import { type LanguageTag, languageName, languages } from '../../../../locales/languages.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Button, Submit } from '../../parts/button.ts'
import { Copyable } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Failure, faultsOf } from '../../parts/failure.ts'
import { bindTo, ChoiceField, FileField, TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Icon } from '../../parts/icon.ts'
import { notify } from '../../parts/notices.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** Offers a page on which another person links the account. */
export function LinkPageButton({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  return h(
    'div',
    { class: 'other-way' },
    h('span', null, say('linking.page_what')),
    h(Button, { onClick: () => setOpen(true) }, h(Icon, { name: 'share' }), say('linking.page')),
    isOpen && h(LinkPageDialog, { name, onClose: () => setOpen(false) }),
  )
}

/** Seconds for which a page can be used. */
const hour = 3_600
const day = 24 * hour
const durations: Readonly<Record<string, 'linking.page_hour' | 'linking.page_day' | 'linking.page_week'>> = {
  [hour]: 'linking.page_hour',
  [day]: 'linking.page_day',
  [7 * day]: 'linking.page_week',
}

function LinkPageDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [page, setPage] = useState<Answer<'createLinkPage'>>()
  const [error, setError] = useState<unknown>()
  const params = { name }
  const end = async () => {
    await call('revokeLinkPages', { params }).then(() => {
      notify(say('linking.page_ended'))
      onClose()
    }, setError)
  }
  return h(
    Dialog,
    { title: say('linking.page'), onClose },
    page ? h(Made, { page }) : h(PageForm, { name, onMade: setPage }),
    h(Failure, { error }),
    h(
      'footer',
      null,
      h(Button, { look: 'quiet', onClick: end }, say('linking.page_end')),
      h(Button, { onClick: onClose }, say('everywhere.close')),
    ),
  )
}

function Made({ page: { url, expires_at } }: { readonly page: Answer<'createLinkPage'> }) {
  return [
    h('p', { role: 'status' }, say('linking.page_copy')),
    h('p', null, h(Copyable, { text: url })),
    h('p', { class: 'small' }, say('linking.page_ends'), ' ', h(Time, { at: expires_at })),
  ]
}

/** In bytes. A larger one is not sent, as the server could not even read the request. */
const largestPicture = 64 * 1024

interface FormProps {
  readonly name: string
  readonly onMade: (page: Answer<'createLinkPage'>) => void
}

function PageForm({ name, onMade }: FormProps) {
  const [draft, setDraft] = useState({ title: '', language: '' as LanguageTag | '', lasts: String(day) })
  const [picture, setPicture] = useState<File>()
  const isTooLarge = picture !== undefined && picture.size > largestPicture
  const { error, isBusy, form } = useSending(async () => {
    if (isTooLarge) return
    const { language, lasts } = draft
    const title = draft.title.trim()
    const body = {
      expires_in_seconds: Number(lasts),
      ...(picture && { picture: await base64Of(picture) }),
      ...(title === '' ? {} : { title }),
      ...(language === '' ? {} : { language }),
    }
    onMade(await call('createLinkPage', { params: { name }, body }))
  })
  const faults = faultsOf(error)
  const field = bindTo(draft, setDraft, faults)
  return h(
    'form',
    { ...form, noValidate: true },
    h('p', { class: 'hint' }, say('linking.page_about')),
    h(TextField, {
      ...field('title'),
      label: say('linking.page_name'),
      hint: say('linking.page_name_hint'),
      maxLength: 80,
    }),
    h(FileField, {
      label: say('linking.page_picture'),
      hint: say('linking.page_picture_hint'),
      accept: 'image/png, image/jpeg',
      fault: isTooLarge ? say('linking.page_picture_large') : faults.get('/picture'),
      onChange: setPicture,
    }),
    h(ChoiceField<LanguageTag | ''>, {
      ...field('language'),
      label: say('linking.page_language'),
      none: say('linking.page_language_auto'),
      values: languages.map(({ tag }) => tag),
      nameOf: (tag) => (tag === '' ? tag : languageName(tag)),
    }),
    h(ChoiceField<string>, {
      ...field('lasts'),
      label: say('linking.page_lasts'),
      values: Object.keys(durations),
      nameOf: (seconds) => say(durations[seconds] ?? 'linking.page_day'),
    }),
    h(Failure, { error }),
    h(Submit, { isBusy }, say('linking.page_make')),
  )
}

async function base64Of(file: File): Promise<string> {
  return new Uint8Array(await file.arrayBuffer()).toBase64()
}

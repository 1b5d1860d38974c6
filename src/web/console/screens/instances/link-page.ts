import { h } from 'preact'
import { useState } from 'preact/hooks'
import { type LanguageTag, languages } from '../../../../locales/languages.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Copyable } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Failure } from '../../parts/failure.ts'
import { faultsOf } from '../../parts/faults.ts'
import { Button, Submit } from '../../parts/forms/button.ts'
import { ChoiceField, FileField, TextField } from '../../parts/forms/fields.ts'
import { notify } from '../../parts/notices.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** Offers a page on which another person links the account. */
export function LinkPageButton({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  return [
    h('p', { class: 'small' }, say('linking.page_what')),
    h('p', null, h(Button, { onClick: () => setOpen(true) }, say('linking.page'))),
    isOpen && h(LinkPageDialog, { name, onClose: () => setOpen(false) }),
  ]
}

/** Seconds for which a page can be used. */
const hour = 3_600
const day = 24 * hour
const week = 7 * day

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
    error !== undefined && h(Failure, { error }),
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
  const [title, setTitle] = useState('')
  const [picture, setPicture] = useState<File>()
  const [language, setLanguage] = useState<LanguageTag | ''>('')
  const [lasts, setLasts] = useState(String(day))
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isTooLarge = picture !== undefined && picture.size > largestPicture
  const make = async () => {
    const body = {
      expires_in_seconds: Number(lasts),
      ...(picture && { picture: await base64Of(picture) }),
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      ...(language === '' ? {} : { language }),
    }
    return call('createLinkPage', { params: { name }, body })
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isTooLarge) return
    setBusy(true)
    setError(undefined)
    await make().then(onMade, setError)
    setBusy(false)
  }
  const faults = faultsOf(error)
  return h(
    'form',
    { onSubmit: submit, noValidate: true },
    h(TextField, {
      label: say('linking.page_name'),
      hint: say('linking.page_name_hint'),
      value: title,
      maxLength: 80,
      fault: faults.get('/title'),
      onChange: setTitle,
    }),
    h(FileField, {
      label: say('linking.page_picture'),
      hint: say('linking.page_picture_hint'),
      accept: 'image/png, image/jpeg',
      fault: isTooLarge ? say('linking.page_picture_large') : faults.get('/picture'),
      onChange: setPicture,
    }),
    h(LanguageField, { value: language, onChange: setLanguage }),
    h(DurationField, { value: lasts, onChange: setLasts }),
    error !== undefined && h(Failure, { error }),
    h(Submit, { isBusy }, say('linking.page_make')),
  )
}

interface ChoiceProps<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function LanguageField({ value, onChange }: ChoiceProps<LanguageTag | ''>) {
  return h(ChoiceField<LanguageTag | ''>, {
    label: say('linking.page_language'),
    value,
    onChange,
    options: [
      { value: '', label: say('linking.page_language_auto') },
      ...languages.map((each) => ({ value: each.tag, label: each.name })),
    ],
  })
}

function DurationField({ value, onChange }: ChoiceProps<string>) {
  return h(ChoiceField<string>, {
    label: say('linking.page_lasts'),
    value,
    onChange,
    options: [
      { value: String(hour), label: say('linking.page_hour') },
      { value: String(day), label: say('linking.page_day') },
      { value: String(week), label: say('linking.page_week') },
    ],
  })
}

async function base64Of(file: File): Promise<string> {
  return new Uint8Array(await file.arrayBuffer()).toBase64()
}

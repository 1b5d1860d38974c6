import { h } from 'preact'
import { useState } from 'preact/hooks'
import { bindTo, TextField } from '../../../parts/forms/fields.ts'
import { say } from '../../../words/say.ts'
import { ContentDialog, type ContentFormProps, useContent } from './content-dialog.ts'

/** A place on the map. Map pages copy both coordinates at once: pasted into the first field, they fill both. */
export function PlaceForm(props: ContentFormProps) {
  const [entered, setEntered] = useState({ latitude: '', longitude: '', name: '', address: '' })
  const { sending, faults } = useContent('sendLocationMessage', () => bodyOf(props, entered), props)
  const change = (next: typeof entered) => {
    const [, latitude, longitude] = pair.exec(next.latitude) ?? []
    setEntered(latitude && longitude ? { ...next, latitude, longitude } : next)
  }
  const field = bindTo(entered, change, faults)
  return h(
    ContentDialog,
    { title: say('message.kinds.location'), sending, onClose: props.onClose },
    h(TextField, {
      ...field('latitude'),
      label: say('send.contents.latitude'),
      hint: say('send.contents.coordinates_hint'),
      placeholder: '-23.5614',
      required: true,
    }),
    h(TextField, {
      ...field('longitude'),
      label: say('send.contents.longitude'),
      placeholder: '-46.6559',
      required: true,
    }),
    h(TextField, { ...field('name'), label: say('send.contents.place_name'), maxLength: 256 }),
    h(TextField, { ...field('address'), label: say('send.contents.place_address'), maxLength: 1024 }),
  )
}

const pair = /^\s*(-?\d+\.\d+)[,;\s]+(-?\d+\.\d+)\s*$/

interface Entered {
  readonly latitude: string
  readonly longitude: string
  readonly name: string
  readonly address: string
}

function bodyOf({ common }: ContentFormProps, { latitude, longitude, name, address }: Entered) {
  return {
    ...common,
    latitude: degrees(latitude),
    longitude: degrees(longitude),
    ...(name.trim() ? { name: name.trim() } : {}),
    ...(address.trim() ? { address: address.trim() } : {}),
  }
}

/** A number as it was entered, with a point or a comma; one that the server refuses if it is none. */
function degrees(text: string): number {
  const value = Number(text.trim().replace(',', '.'))
  return Number.isFinite(value) ? value : 1_000
}

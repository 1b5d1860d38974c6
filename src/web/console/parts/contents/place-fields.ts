import { h } from 'preact'
import { type EnteredPlace, withPastedPair } from '../../core/contents/place.ts'
import { say } from '../../words/say.ts'
import { bindTo, TextField } from '../forms/fields.ts'
import type { ContentFieldsProps } from './content-props.ts'

/** A place on the map. */
export function PlaceFields({ entered, onChange, faults }: ContentFieldsProps<EnteredPlace>) {
  const field = bindTo(entered, (next) => onChange(withPastedPair(next)), faults)
  return [
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
  ]
}

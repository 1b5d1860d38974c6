import type { Location } from '../../../../contract/resources/content.ts'

/** A place as it is entered. */
export interface EnteredPlace {
  readonly latitude: string
  readonly longitude: string
  readonly name: string
  readonly address: string
}

export const emptyPlace: EnteredPlace = { latitude: '', longitude: '', name: '', address: '' }

export function placeBody({ latitude, longitude, name, address }: EnteredPlace) {
  return {
    latitude: degrees(latitude),
    longitude: degrees(longitude),
    ...(name.trim() ? { name: name.trim() } : {}),
    ...(address.trim() ? { address: address.trim() } : {}),
  }
}

export function enteredPlace({ latitude, longitude, name, address }: Location): EnteredPlace {
  return {
    latitude: String(latitude),
    longitude: String(longitude),
    name: name ?? '',
    address: address ?? '',
  }
}

/** Map pages copy both coordinates at once: pasted into the first field, they fill both. */
export function withPastedPair(entered: EnteredPlace): EnteredPlace {
  const [, latitude, longitude] = pair.exec(entered.latitude) ?? []
  return latitude && longitude ? { ...entered, latitude, longitude } : entered
}

const pair = /^\s*(-?\d+\.\d+)[,;\s]+(-?\d+\.\d+)\s*$/

/** A number as it was entered, with a point or a comma; one that the server refuses if it is none. */
function degrees(text: string): number {
  const value = Number(text.trim().replace(',', '.'))
  return Number.isFinite(value) && text.trim() !== '' ? value : 1_000
}

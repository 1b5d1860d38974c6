import { useLayoutEffect, useState } from 'preact/hooks'

/** A place in the console: the part of the URL behind the `#`, which no server and no proxy sees. */
export interface Place {
  /** The path by its segments, decoded: `#/instances/shop` is `['instances', 'shop']`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

type Query = Readonly<Record<string, string | undefined>>

/** The link to a place. Empty and missing values of the query are left out. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value)
  const text = `#/${path.map(encodeURIComponent).join('/')}`
  return search.size > 0 ? `${text}?${search}` : text
}

/** Goes to a place. With `replace`, the place before is not kept in the history: for filters that change as one types. */
export function goTo(path: readonly string[], query: Query = {}, replace = false): void {
  const link = linkTo(path, query)
  if (link === location.hash) return
  if (!replace) {
    location.hash = link
    return
  }
  history.replaceState(null, '', link)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/**
 * Changes values in the query of a place, and keeps the others as the link has them now: a screen that was not drawn since another
 * one changed would undo that. Does nothing if the person has left the place.
 */
export function changeQuery(path: readonly string[], values: Query, replace = false): void {
  const here = placeOf(location.hash)
  if (linkTo(here.path) === linkTo(path)) goTo(path, { ...here.query, ...values }, replace)
}

/**
 * Returns a function that goes to a place unless the person has left this one by then: for what follows an order that may take long.
 */
export function fromHere(): (path: readonly string[]) => void {
  const here = location.hash
  return (path) => {
    if (location.hash === here) goTo(path)
  }
}

/**
 * Returns a function that binds a field to a filter of a place, by its name. The history keeps what was there before only if
 * wanted: not for filters that change as one types.
 */
export function bindToLink(path: readonly string[], query: Query) {
  return (name: string, isKept = false) => ({
    value: query[name] ?? '',
    onChange: (value: string) => changeQuery(path, { [name]: value }, !isKept),
  })
}

/** The current place; the component is drawn again when it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash)
  // As soon as there are links to press.
  useLayoutEffect(() => {
    const changed = () => setHash(location.hash)
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return placeOf(hash)
}

function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** Decodes a segment; one that the person mistyped stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

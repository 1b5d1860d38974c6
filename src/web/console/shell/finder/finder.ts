import { h } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Me } from '../../core/me.ts'
import { Icon } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'
import type { Entry, EntryGroup } from './entry.ts'
import { searchEntries, useFound } from './found.ts'
import { groupsBefore, knownEntries } from './known.ts'
import { noteUse } from './last-used.ts'

/** Properties of the field and its list. */
export interface FinderProps {
  readonly me: Me
  /** Text that was typed before they were loaded. */
  readonly typed: string
  /** True if Enter was pressed already. */
  readonly isEntered: boolean
  readonly maxTyped: number
  readonly onDone: () => void
}

/**
 * The field and the list of the palette. Answers of the server only add to the end of the list, so that they move neither what is
 * chosen nor what is pointed at.
 */
export function Finder({ me, typed: typedBefore, isEntered, maxTyped, onDone }: FinderProps) {
  const [words, setWords] = useState(typedBefore)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const list = useGroups(me, words.trim())
  const pick = (entry: Entry | undefined) => {
    if (!entry) return
    if (entry.isKept) noteUse(me, entry.id)
    if (entry.link !== undefined) location.hash = entry.link
    onDone()
    entry.act?.()
  }
  const { at, onKeyDown, forget } = useChoice(list, words, isEntered ? typedBefore : undefined, pick)
  useLayoutEffect(() => field.current?.focus(), [])
  return [
    h('input', {
      ref: field,
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      maxLength: maxTyped,
      value: words,
      placeholder: say('frame.find_hint'),
      'aria-label': say('frame.find'),
      'aria-expanded': true,
      'aria-controls': id,
      'aria-autocomplete': 'list',
      'aria-activedescendant': at < 0 ? undefined : `${id}-${at}`,
      onKeyDown,
      onInput: (event: Event) => {
        setWords((event.target as HTMLInputElement).value)
        forget()
      },
    }),
    h(Entries, { id, groups: list.groups, at, onPick: pick }),
    h('p', { class: 'small', role: 'status' }, statusOf(list)),
  ]
}

/**
 * Chooses an entry by the arrows, and picks it by Enter. `enteredBefore` is the text at which Enter was pressed before there was a list.
 */
function useChoice(
  { entries, isReady }: List,
  words: string,
  enteredBefore: string | undefined,
  pick: (entry: Entry | undefined) => void,
) {
  const [chosen, setChosen] = useState<string>()
  /** The text at which Enter was pressed before the list for it was there. */
  const [entered, setEntered] = useState(enteredBefore)
  const named = entries.findIndex((entry) => entry.id === chosen)
  const at = named < 0 && isReady && entries.length > 0 ? 0 : named
  useLayoutEffect(() => {
    if (entered === undefined || entered !== words || !isReady) return
    setEntered(undefined)
    const [first] = entries
    // An order that could not be seen yet is only chosen: it takes another Enter.
    if (first?.isOrder) setChosen(first.id)
    else pick(first)
  }, [entered, words, isReady])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const value = (event.target as HTMLInputElement).value
    if (event.key === 'Enter') {
      // The list may still be the one of what stood in the field before.
      if (value !== words || at < 0) setEntered(value)
      else if (!event.repeat) pick(entries[at])
    } else if (step !== undefined && entries.length > 0) {
      const from = at < 0 && step < 0 ? 0 : at
      setChosen(entries[(from + step + entries.length) % entries.length]?.id)
    } else return
    event.preventDefault()
  }
  const forget = () => {
    setChosen(undefined)
    setEntered(undefined)
  }
  return { at, onKeyDown, forget }
}

function statusOf({ entries, isAsking }: List): string {
  if (isAsking) return say('everywhere.loading')
  return entries.length === 0 ? say('everywhere.nothing_found') : ''
}

interface List {
  readonly groups: readonly EntryGroup[]
  /** The entries of all groups. */
  readonly entries: readonly Entry[]
  /** True once its first entry will stay the first. */
  readonly isReady: boolean
  readonly isAsking: boolean
}

/** The list for what was typed. */
function useGroups(me: Me, typed: string): List {
  const { entries: found, isAsking } = useFound(me, typed)
  const [before] = useState(() => groupsBefore(me))
  if (typed === '') {
    const entries = before.flatMap((group) => group.entries)
    return { groups: before, entries, isReady: true, isAsking: false }
  }
  const known = knownEntries(me, typed)
  // The search for words stands last, and comes when nothing can be put before it any more.
  const entries = [...known, ...found, ...(isAsking ? [] : searchEntries(me, typed))]
  return { groups: [{ entries }], entries, isReady: known.length > 0 || !isAsking, isAsking }
}

interface EntriesProps {
  readonly id: string
  readonly groups: readonly EntryGroup[]
  /** The place of the one that Enter picks; -1 if there is none. */
  readonly at: number
  readonly onPick: (entry: Entry) => void
}

function Entries({ id, groups, at, onPick }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  let place = 0
  const row = (entry: Entry) => {
    const own = place++
    return h(
      'div',
      {
        key: entry.id,
        id: `${id}-${own}`,
        role: 'option',
        'aria-selected': own === at,
        onClick: () => onPick(entry),
      },
      h(Icon, { name: entry.icon }),
      h('span', null, entry.text),
      entry.note && h('span', { class: 'small' }, entry.note),
    )
  }
  return h(
    'div',
    { id, ref: list, role: 'listbox', 'aria-label': say('frame.find'), class: 'targets' },
    groups.map(({ title, entries }) =>
      title === undefined
        ? entries.map(row)
        : h(
            'div',
            { key: title, role: 'group', 'aria-label': title },
            h('p', { class: 'small', 'aria-hidden': true }, title),
            entries.map(row),
          ),
    ),
  )
}

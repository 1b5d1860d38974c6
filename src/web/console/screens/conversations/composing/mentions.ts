import { h } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../../contract/resources/message.ts'
import { say } from '../../../words/say.ts'

/** A person whom a text in a group can mention. */
export interface Mentionable {
  readonly address: string
  readonly name: string | null
}

/** The most people to choose from, and the most of them that are offered at once. */
const maxPeople = 1_000
const maxOffered = 6
/** The most people whom one text mentions. */
const maxMentioned = 50

/** Returns the people who wrote in a group, those who wrote last first; with one person alone there are none. */
export function writersIn(newestFirst: readonly Message[]): readonly Mentionable[] {
  const people = new Map<string, Mentionable>()
  for (const { from, conversation, direction, sender } of newestFirst)
    if (direction === 'inbound' && from !== null && from !== conversation && !people.has(from))
      people.set(from, { address: from, name: sender?.name ?? sender?.username ?? null })
  return [...people.values()].slice(0, maxPeople)
}

interface Field {
  readonly current: HTMLTextAreaElement | null
}

/** The person whose name is being written at the cursor, and those who are offered. */
interface Choice {
  readonly begin: number
  readonly offered: readonly Mentionable[]
  readonly active: number
}

/** Offers people while one writes `@` and a name, and notes whom a text mentions. */
export function useMentions(people: readonly Mentionable[], field: Field, setText: (text: string) => void) {
  const [choice, setChoice] = useState<Choice>()
  const chosen = useRef(new Map<string, Mentioned>())
  const list = useId()
  const look = () => {
    const { value = '', selectionStart = 0 } = field.current ?? {}
    const written = /(?:^|\s)@([^\s@]*)$/.exec(value.slice(0, selectionStart))?.[1]
    const offered = written === undefined ? [] : matching(people, written)
    setChoice(
      offered.length === 0 || written === undefined
        ? undefined
        : { begin: selectionStart - written.length, offered, active: 0 },
    )
  }
  // Members of the group may be known a moment later.
  useEffect(() => {
    if (document.activeElement === field.current) look()
  }, [people])
  const choose = (person: Mentionable) => {
    const area = field.current
    if (!area || !choice) return
    const token = shortest(person.address, people)
    const word = nameFor(person, people) ?? token
    chosen.current.set(word, { address: person.address, token })
    const end = area.selectionStart
    area.setRangeText(`${word} `, choice.begin, end, 'end')
    setText(area.value)
    setChoice(undefined)
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!choice || event.isComposing) return false
    const { offered, active } = choice
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setChoice({ ...choice, active: (active + step + offered.length) % offered.length })
    else if (event.key === 'Enter' || event.key === 'Tab') choose(offered[active] as Mentionable)
    else if (event.key === 'Escape') setChoice(undefined)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return {
    look,
    onKeyDown,
    close: () => setChoice(undefined),
    /** Attributes by which screen readers tie the field to the people who are offered. */
    described: choice ? { 'aria-controls': list, 'aria-activedescendant': `${list}-${choice.active}` } : {},
    offered: choice && h(Offered, { id: list, choice, onChoose: choose }),
    addressed: (text: string) => addressed(text, chosen.current),
  }
}

interface OfferedProps {
  readonly id: string
  readonly choice: Choice
  readonly onChoose: (person: Mentionable) => void
}

function Offered({ id, choice: { offered, active }, onChoose }: OfferedProps) {
  return h(
    'ul',
    { id, role: 'listbox', class: 'offered', 'aria-label': say('conversations.mention') },
    offered.map((person, at) =>
      h(
        'li',
        {
          key: person.address,
          id: `${id}-${at}`,
          role: 'option',
          'aria-selected': at === active,
          // The field keeps the focus.
          onPointerDown: (event: Event) => event.preventDefault(),
          onClick: () => onChoose(person),
        },
        h('strong', null, person.name ?? person.address),
        person.name !== null && h('span', { class: 'small' }, person.address),
      ),
    ),
  )
}

function matching(people: readonly Mentionable[], written: string): readonly Mentionable[] {
  const begun = written.toLocaleLowerCase()
  const fits = ({ name, address }: Mentionable) =>
    [address, ...(name ?? '').split(/\s+/), name ?? ''].some((word) =>
      word.toLocaleLowerCase().startsWith(begun),
    )
  return people.filter(fits).slice(0, maxOffered)
}

/** The address, or the part of it before an `@` if no other has the same: the contract takes both. */
function shortest(address: string, people: readonly Mentionable[]): string {
  const partOf = (other: string) => other.split('@')[0] as string
  const isUnique = people.every(
    (other) => other.address === address || partOf(other.address) !== partOf(address),
  )
  return isUnique && partOf(address) !== '' ? partOf(address) : address
}

/** The name of a person, if no other has the same. */
function nameFor({ name, address }: Mentionable, people: readonly Mentionable[]): string | null {
  const isUnique = people.every((other) => other.address === address || other.name !== name)
  return name !== null && isUnique && /^[\p{L}\p{N}]/u.test(name) ? name : null
}

/** A person who was chosen, and how the contract has a text name them. */
interface Mentioned {
  readonly address: string
  readonly token: string
}

/** A text as it is sent, with the addresses of the people whom it mentions. */
export interface Addressed {
  readonly text: string
  readonly mentions: readonly string[]
}

/** Puts addresses in the place of names, for the people who were chosen and whom the text still names. */
export function addressed(text: string, chosen: ReadonlyMap<string, Mentioned>): Addressed {
  const mentions = new Set<string>()
  // The longest first: a name may begin with another.
  const words = [...chosen.keys()].sort((a, b) => b.length - a.length)
  const parts: string[] = []
  let rest = text
  for (let at = rest.indexOf('@'); at >= 0; at = rest.indexOf('@')) {
    const after = rest.slice(at + 1)
    const word = words.find(
      (each) => after.startsWith(each) && !/^[\p{L}\p{N}]/u.test(after.slice(each.length)),
    )
    const found = word === undefined || /\S$/u.test(rest.slice(0, at)) ? undefined : chosen.get(word)
    const isKept = word === undefined || !found || mentions.size >= maxMentioned
    parts.push(rest.slice(0, at + 1), isKept ? '' : found.token)
    if (!isKept) mentions.add(found.address)
    rest = isKept ? after : after.slice(word.length)
  }
  return { text: [...parts, rest].join(''), mentions: [...mentions] }
}

import { h } from 'preact'
import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks'
import { call } from '../core/api.ts'
import { isUnlimitedAdmin, type Me, maySend } from '../core/me.ts'
import { linkTo } from '../core/router.ts'
import { Dialog } from '../parts/dialog.ts'
import { Icon, type IconName } from '../parts/icon.ts'
import { say } from '../words/say.ts'
import { areasOf } from './areas.ts'

/** A place to go to. */
interface Target {
  readonly link: string
  readonly icon: IconName
  readonly text: string
  /** Tells targets of one name apart, such as the instance of a person. */
  readonly note?: string
}

const eventName = 'posthorn:palette'

/** Opens the palette. */
export function openPalette(): void {
  dispatchEvent(new Event(eventName))
}

/** Opens with Ctrl-K, or ⌘K, wherever the focus is: a field that finds areas, instances, people and messages, and goes there. */
export function Palette({ me }: { readonly me: Me }) {
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const open = () => setOpen(true)
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!document.querySelector('dialog[open]')) open()
    }
    addEventListener(eventName, open)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener(eventName, open)
      removeEventListener('keydown', pressed)
    }
  }, [])
  if (!isOpen) return null
  const close = () => setOpen(false)
  return h(Dialog, { title: say('frame.find'), onClose: close }, h(Finder, { me, onDone: close }))
}

function Finder({ me, onDone }: { readonly me: Me; readonly onDone: () => void }) {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const found = useFound(me, words.trim())
  const targets = [...placesFor(me, words.trim()), ...found]
  const at = Math.min(chosen, targets.length - 1)
  const go = (target: Target | undefined) => {
    if (!target) return
    location.hash = target.link
    onDone()
  }
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const typed = (event.target as HTMLInputElement).value
    // The list may still be the one of what stood in the field before.
    if (event.key === 'Enter') go(typed === words ? targets[at] : placesFor(me, typed.trim())[0])
    else if (step !== undefined) setChosen((at + step + targets.length) % Math.max(1, targets.length))
    else return
    event.preventDefault()
  }
  return [
    h('input', {
      type: 'text',
      role: 'combobox',
      autofocus: true,
      autocomplete: 'off',
      maxLength: 200,
      value: words,
      placeholder: say('frame.find_hint'),
      'aria-label': say('frame.find'),
      'aria-expanded': true,
      'aria-controls': id,
      'aria-activedescendant': targets.length > 0 ? `${id}-${at}` : undefined,
      onKeyDown: pressed,
      onInput: (event: Event) => {
        setWords((event.target as HTMLInputElement).value)
        setChosen(0)
      },
    }),
    h(Targets, { id, targets, at, onPick: go }),
    h('p', { class: 'small', role: 'status' }, targets.length === 0 && say('everywhere.nothing_found')),
  ]
}

interface TargetsProps {
  readonly id: string
  readonly targets: readonly Target[]
  /** The place of the one that Enter picks. */
  readonly at: number
  readonly onPick: (target: Target) => void
}

function Targets({ id, targets, at, onPick }: TargetsProps) {
  return h(
    'ul',
    { id, role: 'listbox', 'aria-label': say('frame.find'), class: 'targets' },
    targets.map((target, place) =>
      h(
        'li',
        {
          key: target.link,
          id: `${id}-${place}`,
          role: 'option',
          'aria-selected': place === at,
          onClick: () => onPick(target),
        },
        h(Icon, { name: target.icon }),
        h('span', null, target.text),
        target.note && h('span', { class: 'small' }, target.note),
      ),
    ),
  )
}

/** Places that the page knows by itself. */
function placesFor(me: Me, words: string): Target[] {
  const areas = areasOf(me).map(({ path, name, icon }) => ({
    link: linkTo([path]),
    icon,
    text: say(`frame.areas.${name}`),
  }))
  const orders: Target[] = [
    ...(maySend(me)
      ? [{ link: linkTo(['send']), icon: 'send' as const, text: say('message.send_message') }]
      : []),
    ...(isUnlimitedAdmin(me)
      ? [{ link: linkTo(['instances', '~new']), icon: 'plus' as const, text: say('overview.go_create') }]
      : []),
  ]
  const fitting = [...areas, ...orders].filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()))
  if (me.kind !== 'key' || words === '') return fitting
  const isMessage = /^msg_\w+$/.test(words)
  const search: Target = isMessage
    ? { link: linkTo(['messages', words]), icon: 'mail', text: say('frame.find_message', { id: words }) }
    : {
        link: linkTo(['messages'], { text: words }),
        icon: 'search',
        text: say('frame.find_words', { words }),
      }
  return isMessage ? [search] : [...fitting, search]
}

/** Milliseconds after the last key before the server is asked. */
const pause = 200
/** The most instances, and the most people and groups, that are shown. */
const maxFound = 5

/** Instances, people and groups that the server finds. What fails is left out: the palette is a way, not a list. */
function useFound(me: Me, words: string): readonly Target[] {
  const [found, setFound] = useState<{ readonly words: string; readonly targets: readonly Target[] }>()
  useEffect(() => {
    if (words === '' || me.kind !== 'key') return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      find(words, abort.signal).then(
        (targets) => abort.signal.aborted || setFound({ words, targets }),
        () => {},
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words])
  return found && words !== '' && found.words === words ? found.targets : []
}

async function find(words: string, signal: AbortSignal): Promise<Target[]> {
  const [instances, people] = await Promise.all([
    call('listInstances', { query: { search: words, limit: maxFound } }, signal),
    call('listConversations', { query: { search: words, limit: maxFound } }, signal),
  ])
  return [
    ...instances.data.map(({ name, network }) => ({
      link: linkTo(['instances', name]),
      icon: 'plug' as const,
      text: name,
      note: network,
    })),
    ...people.data.map(({ instance, conversation: address, name = null, kind }) => ({
      link: linkTo(['conversations', instance, address]),
      icon: kind === 'group' ? ('people' as const) : ('person' as const),
      text: name ?? address,
      note: instance,
    })),
  ]
}

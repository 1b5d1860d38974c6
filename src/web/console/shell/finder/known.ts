import { languageName, languages } from '../../../../locales/languages.ts'
import { copyText } from '../../../browser/copy.ts'
import { language } from '../../../browser/words.ts'
import { signOut } from '../../core/api.ts'
import { appearance, appearances, setAppearance } from '../../core/appearance.ts'
import { setLanguage } from '../../core/language.ts'
import { isUnlimitedAdmin, type Me, maySend } from '../../core/me.ts'
import { linkTo } from '../../core/router.ts'
import { notify, tell } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { areasOf } from '../areas.ts'
import { type Entry, type EntryGroup, fits } from './entry.ts'
import { lastUsed } from './last-used.ts'

/** Entries that were used last and are shown before anything is typed. */
const maxShownUses = 5

/** Before anything is typed: what was used last comes first. The place that is shown already is not offered again. */
export function groupsBefore(me: Me): EntryGroup[] {
  const known = [...areaEntries(me), ...makingEntries(me)]
  const uses = lastUsed(me)
    .map((id) => known.find((entry) => entry.id === id) ?? rememberedInstance(me, id))
    .filter((entry) => entry !== undefined && entry.link !== location.hash)
    .slice(0, maxShownUses) as Entry[]
  const others = (entries: readonly Entry[]) => entries.filter(({ id }) => !uses.some((use) => use.id === id))
  return [
    { title: say('frame.found.last_used'), entries: uses },
    { title: say('frame.found.places'), entries: others(areaEntries(me)) },
    { title: say('frame.found.acts'), entries: others([...makingEntries(me), ...pageEntries()]) },
  ].filter(({ entries }) => entries.length > 0)
}

/** Everything that the page knows by itself and that fits what was typed. */
export function knownEntries(me: Me, typed: string): Entry[] {
  const all = [...areaEntries(me), ...makingEntries(me), ...pageEntries(), ...looks(), ...tongues()]
  return all.filter((entry) => fits(entry, typed))
}

/** An instance, as a place to go to. */
export function instanceEntry(name: string, note?: string): Entry {
  const link = linkTo(['instances', name])
  return { id: instancePrefix + name, icon: 'plug', text: name, link, isKept: true, ...(note && { note }) }
}

const instancePrefix = 'instance:'

function rememberedInstance(me: Me, id: string): Entry | undefined {
  if (me.kind !== 'key' || !id.startsWith(instancePrefix)) return undefined
  return instanceEntry(id.slice(instancePrefix.length))
}

function areaEntries(me: Me): Entry[] {
  return areasOf(me).map(({ path, name, icon }) => ({
    id: `area:${path}`,
    icon,
    text: say(`frame.areas.${name}`),
    link: linkTo([path]),
    isKept: true,
  }))
}

/** Ways to make something new, each of which has a form. */
function makingEntries(me: Me): Entry[] {
  const kept = { isKept: true } as const
  const sending: Entry = {
    id: 'send',
    icon: 'send',
    text: say('message.send_message'),
    link: linkTo(['send']),
    ...kept,
  }
  const making: Entry[] = [
    {
      id: 'new:instance',
      icon: 'plus',
      text: say('instances.create'),
      link: linkTo(['instances', '~new']),
      ...kept,
    },
    {
      id: 'new:webhook',
      icon: 'webhook',
      text: say('webhooks.create'),
      link: linkTo(['webhooks'], { new: 'yes' }),
      ...kept,
    },
    {
      id: 'new:key',
      icon: 'key',
      text: say('keys.create_key'),
      link: linkTo(['keys'], { new: 'yes' }),
      ...kept,
    },
  ]
  return [...(maySend(me) ? [sending] : []), ...(isUnlimitedAdmin(me) ? making : [])]
}

/** Acts on the page itself. */
function pageEntries(): Entry[] {
  const copy = async () => {
    await copyText(location.href)
    notify(say('everywhere.copied'))
  }
  return [
    { id: 'copy', icon: 'copy', text: say('frame.found.copy_link'), act: copy },
    { id: 'leave', icon: 'leave', text: say('frame.sign_out'), act: () => tell(() => signOut(false)) },
  ]
}

function looks(): Entry[] {
  return appearances
    .filter((look) => look !== appearance())
    .map((look) => ({
      id: `look:${look}`,
      icon: 'look',
      text: say('frame.found.choice', { what: say('frame.appearance'), choice: say(`frame.${look}`) }),
      act: () => setAppearance(look),
    }))
}

function tongues(): Entry[] {
  return languages
    .filter(({ tag }) => tag !== language())
    .map(({ tag }) => ({
      id: `language:${tag}`,
      icon: 'language',
      text: say('frame.found.choice', { what: say('frame.language'), choice: languageName(tag) }),
      act: () => setLanguage(tag),
    }))
}

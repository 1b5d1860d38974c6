import { h } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Me } from '../core/me.ts'
import { linkTo } from '../core/router.ts'
import { Icon } from '../parts/icon.ts'
import { say } from '../words/say.ts'
import { areasOf } from './areas.ts'
import { openPalette } from './palette.ts'

interface NotFoundProps {
  readonly me: Me
  readonly path: readonly string[]
}

/** A place that leads nowhere, and the ways on: to the first area, to the one that was probably meant, and the search. */
export function NotFound({ me, path }: NotFoundProps) {
  const areas = areasOf(me)
  const [home] = areas
  const meant = nearest(
    path[0] ?? '',
    areas.map((area) => area.path),
  )
  const near = areas.find((area) => area.path === meant && area !== home)
  useEffect(() => {
    document.title = `${say('everywhere.not_found')} – Posthorn`
  }, [])
  return h(
    'main',
    { id: 'main', tabIndex: -1, 'aria-labelledby': 'title', class: 'nowhere' },
    h(Icon, { name: 'lost' }),
    h('h1', { id: 'title' }, say('everywhere.not_found')),
    h('p', null, say('everywhere.not_found_why', { address: shown(linkTo(path)) })),
    h(
      'p',
      { class: 'actions' },
      home &&
        h(
          'a',
          { class: 'button primary', href: linkTo([home.path]) },
          say('everywhere.not_found_home', { area: say(`frame.areas.${home.name}`) }),
        ),
      near &&
        h(
          'a',
          { class: 'button', href: linkTo([near.path]) },
          say('everywhere.not_found_near', { area: say(`frame.areas.${near.name}`) }),
        ),
    ),
    h(
      'p',
      { class: 'small' },
      h('button', { type: 'button', class: 'link', onClick: openPalette }, say('frame.find')),
      ' ',
      h('kbd', { 'aria-hidden': true }, 'Ctrl K'),
    ),
  )
}

/** Characters of an address that are shown: a longer one says nothing more. */
const maxShown = 60

function shown(link: string): string {
  return link.length > maxShown ? `${link.slice(0, maxShown)}…` : link
}

/** Letters that may be wrong for a word to be taken for another. */
const maxWrong = 2

/** Returns the word that is nearest to a mistyped one; undefined if none is near. */
function nearest(typed: string, words: readonly string[]): string | undefined {
  const near = words
    .filter((word) => Math.abs(word.length - typed.length) <= maxWrong)
    .map((word) => ({ word, wrong: distance(typed, word) }))
    .toSorted((a, b) => a.wrong - b.wrong)[0]
  return near && near.wrong <= maxWrong ? near.word : undefined
}

/** The letters to insert, remove or replace to make one word of another (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [other, wanted] of [...to].entries())
      next.push(
        Math.min(
          (next[other] ?? 0) + 1,
          (row[other + 1] ?? 0) + 1,
          (row[other] ?? 0) + (letter === wanted ? 0 : 1),
        ),
      )
    row = next
  }
  return row[to.length] ?? 0
}

import { type ComponentChildren, h } from 'preact'
import { say } from '../words/say.ts'
import { Failure } from './failure.ts'
import { Skeleton } from './skeleton.ts'

/**
 * The place of a column where a row has two lines: at the end of the first one, in the second one, with or without its title before
 * it, at the end of the second one, or nowhere. The first column begins the first line.
 */
type PhonePlace = 'beside' | 'below' | 'titled' | 'end' | 'nowhere'

interface Column<T> {
  readonly title: string
  /** Returns null or a dash if there is nothing. */
  readonly cell: (item: T) => ComponentChildren
  /** `titled` if it is left out: only what speaks for itself needs no title. */
  readonly onPhone?: PhonePlace
  /** Holds only a word or two, which must not be broken. */
  readonly isShort?: boolean
  /** Holds numbers, and is no wider than they and its title are. */
  readonly isNumber?: boolean
  /** Left out if there is little room. */
  readonly isExtra?: boolean
  /** The order of the rows, if they are sorted by it. */
  readonly sorted?: 'ascending' | 'descending' | undefined
}

interface TableProps<T> {
  /** The subject of the table, for a person who cannot see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** Returns the link of a row. The first column holds it. */
  readonly linkOf?: (item: T) => string
}

/** A table whose rows can be walked with the arrow keys. On a narrow screen, each row has two lines. */
export function Table<T>({ caption, columns, items, keyOf, linkOf }: TableProps<T>) {
  const [first, ...others] = columns
  return h(
    'table',
    { class: 'two-line', onKeyDown: walkRows },
    h('caption', { class: 'unseen' }, caption),
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        columns.map(({ title, isExtra, sorted }) =>
          h(
            'th',
            { key: title, scope: 'col', class: isExtra ? 'extra' : undefined, 'aria-sort': sorted },
            title,
          ),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      items.map((item) =>
        h(
          'tr',
          { key: keyOf(item) },
          h(
            'th',
            { scope: 'row', 'data-label': first?.title, class: first && classOf(first) },
            linkOf ? h('a', { href: linkOf(item) }, first?.cell(item)) : first?.cell(item),
          ),
          cellsOf(others, item),
        ),
      ),
    ),
  )
}

/** The cells of a row behind the first one. On a phone, a point divides those of the second line, and what is empty is left out. */
function cellsOf<T>(columns: readonly Column<T>[], item: T) {
  const cells = columns.map((column) => {
    const content = column.cell(item)
    const isNothing = content === null || content === undefined || content === '–'
    const isLeftOut = isNothing || (column.isNumber === true && content === '0')
    const isSaid = !isLeftOut && isInSecondLine(column)
    return { column, content: isNothing ? '–' : content, isLeftOut, isSaid }
  })
  const last = cells.findLast(({ isSaid }) => isSaid)
  return cells.map((cell) => {
    const { column, content, isLeftOut, isSaid } = cell
    const place = isLeftOut ? 'nowhere' : (column.onPhone ?? 'titled')
    const look = [classOf(column), `phone-${place}`, isSaid && (cell === last ? 'phone-last' : 'goes-on')]
    return h(
      'td',
      { key: column.title, 'data-label': column.title, class: look.filter(Boolean).join(' ') },
      content,
    )
  })
}

const isInSecondLine = <T>({ onPhone = 'titled' }: Column<T>) => onPhone === 'below' || onPhone === 'titled'

function classOf({
  isShort,
  isNumber,
  isExtra,
}: Pick<Column<never>, 'isShort' | 'isNumber' | 'isExtra'>): string | undefined {
  return isNumber ? 'number' : isShort ? 'short' : isExtra ? 'extra' : undefined
}

/** The arrow keys move between the links and buttons of the first column. Returns the row that has the focus then. */
export function walkRows(event: KeyboardEvent): HTMLElement | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = (event.target as HTMLElement).closest('tr')
  const isInField = (event.target as HTMLElement).matches('input:not([type=checkbox]), select, textarea')
  if (step === undefined || !row || isInField) return undefined
  const next = step > 0 ? rowAfter(row) : rowBefore(row)
  const target = next?.querySelector<HTMLElement>('a, button')
  if (!target) return undefined
  event.preventDefault()
  target.focus()
  return next as HTMLElement
}

/* A long table has its rows in several parts. */
const rowAfter = (row: Element) =>
  row.nextElementSibling ?? row.parentElement?.nextElementSibling?.firstElementChild

const rowBefore = (row: Element) =>
  row.previousElementSibling ?? row.parentElement?.previousElementSibling?.lastElementChild

interface ListEndProps {
  readonly error: unknown
  readonly isLoading: boolean
  readonly isRead: boolean
  readonly hasMore: boolean
  readonly items: readonly unknown[]
  readonly more: () => void
  readonly reload: () => void
  /** Shown if there is nothing at all. */
  readonly empty: ComponentChildren
}

/** The end of a list: the way to more of it, the reason why it failed, or why it is empty. */
export function ListEnd({ error, isLoading, isRead, hasMore, items, more, reload, empty }: ListEndProps) {
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  // The button for more stays until there is no more, so that it keeps the focus.
  if (hasMore) {
    const text = say(items.length === 0 ? 'everywhere.search_on' : 'everywhere.load_more')
    return h(MoreButton, { isLoading, onMore: more, text })
  }
  if (isLoading && items.length === 0) return h(Skeleton, null)
  return isRead && items.length === 0 ? h('div', { class: 'empty' }, empty) : null
}

interface MoreProps {
  readonly isLoading: boolean
  readonly onMore: () => void
  readonly text: string
}

/** The button for more of a list. */
export function MoreButton({ isLoading, onMore, text }: MoreProps) {
  const press = () => isLoading || onMore()
  const words = isLoading ? say('everywhere.loading') : text
  return h('button', { type: 'button', onClick: press, 'aria-disabled': isLoading }, words)
}

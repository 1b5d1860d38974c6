import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { WindowOptions } from './browser.ts'

/** A file, as the dialog of the system hands it to a page. */
interface Attachment {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** Acts of a person on a page. Each fails if it cannot be done in their way. */
export interface Hand {
  /** Presses a button or a link, ticks a box, opens what is closed. */
  press(target: Locator): Promise<void>
  /** Writes into a field, in place of what is there. */
  enter(field: Locator, text: string): Promise<void>
  /** Chooses what the option of a list says. */
  choose(list: Locator, option: string): Promise<void>
  /** Chooses one of several radio buttons. */
  pick(radio: Locator): Promise<void>
  attach(field: Locator, file: Attachment): Promise<void>
  /** Goes to an area by the menu of the console. */
  goTo(area: string): Promise<void>
  closeDialog(): Promise<void>
  /** Does nothing, and looks where things are: fails if something must be scrolled sideways, or the focus was lost. */
  rest(): Promise<void>
}

interface Way {
  /** Its way of acting, to name a play. */
  readonly name: string
  readonly window: Pick<WindowOptions, 'width' | 'isPhone'>
  readonly on: (page: Page) => Hand
}

/** Tab, Enter, Space, the arrows, Escape, and what can be typed: nothing else. */
export const keyboard: Way = { name: 'by keyboard alone', window: { width: 1280 }, on: keyboardOn }

/** The ways in which people use the console: each play is played in every one of them. */
export const ways: readonly [Way, ...Way[]] = [
  { name: 'by mouse', window: { width: 1280 }, on: mouseOn },
  { name: 'by finger on a phone', window: { width: 360, isPhone: true }, on: fingerOn },
  keyboard,
]

/** Milliseconds that something may take to appear, and for which it may be covered. */
const timeout = 20_000

function mouseOn(page: Page): Hand {
  return pointing(page, (target) => target.click({ timeout }))
}

/** The fewest pixels that a finger hits (WCAG 2.2, 2.5.8); links within a sentence are as high as its lines. */
const smallestTarget = 24

function fingerOn(page: Page): Hand {
  const rest = () => checkFits(page)
  const press: Hand['press'] = async (target) => {
    await target.waitFor({ timeout })
    await rest()
    const size = await target.evaluate((element) => {
      const { width, height } = (element.closest('label') ?? element).getBoundingClientRect()
      return element.matches('p a, td a, th a') ? 100 : Math.min(width, height)
    })
    assert.ok(size >= smallestTarget, `${target} is too small for a finger: ${size} pixels`)
    await target.tap({ timeout })
    await rest()
  }
  return { ...pointing(page, press), rest }
}

/** A person who points. Lists and files are chosen in a window of the system, once the field was hit. */
function pointing(page: Page, press: Hand['press']): Hand {
  return {
    press,
    enter: async (field, text) => {
      await press(field)
      await field.fill(text)
    },
    choose: async (list, option) => {
      await list.click({ trial: true, timeout })
      await list.selectOption({ label: option })
    },
    pick: press,
    attach: async (field, file) => {
      // The field itself may be hidden in its label.
      const label = page.locator('label').filter({ has: field })
      await field.waitFor({ state: 'attached', timeout })
      await attachBy(page, file, async () => press((await label.count()) > 0 ? label : field))
    },
    goTo: async (area) => {
      const link = page.getByRole('navigation').getByRole('link', { name: area, exact: true })
      const menu = page.getByRole('button', { name: 'Menu' })
      await link.or(menu).first().waitFor({ timeout })
      if (!(await link.isVisible())) await press(menu)
      await press(link)
      await page.getByRole('heading', { level: 1, name: area, exact: true }).waitFor({ timeout })
      const open = page.getByRole('navigation').locator('[aria-expanded=true]')
      assert.equal(await open.count(), 0, 'the menu stays before the screen')
    },
    closeDialog: () => press(page.getByRole('dialog').getByRole('button', { name: 'Close' })),
    rest: async () => {},
  }
}

/** The most places at which Tab may stop before the one that is meant. */
const maxTabs = 100

function keyboardOn(page: Page): Hand {
  const { keyboard } = page
  let hasBegun = false
  const reach = async (target: Locator) => {
    await target.waitFor({ timeout })
    if (hasBegun) await checkFocusIsKept(page)
    hasBegun = true
    for (let tabs = 0; (await target.and(page.locator(':focus')).count()) === 0; tabs++) {
      assert.ok(tabs < maxTabs, `Tab never reaches ${target}`)
      await keyboard.press('Tab')
    }
    await checkFocusIsSeen(page, target)
  }
  const press = async (target: Locator) => {
    await reach(target)
    const isBox = await target.evaluate((element) => element.matches('[type=checkbox]'))
    await keyboard.press(isBox ? 'Space' : 'Enter')
  }
  return {
    press,
    enter: async (field, text) => {
      await reach(field)
      if (await field.evaluate((element) => element.matches('[type=datetime-local]')))
        await typeMoment(page, text)
      else if (text !== '') await keyboard.type(text)
      else await keyboard.press('Backspace')
      // Tab selects what is in a field of one line, so that it is replaced.
      assert.equal(await field.inputValue(), text)
    },
    choose: async (list, option) => {
      await list.getByRole('option', { name: option, exact: true }).waitFor({ state: 'attached', timeout })
      await reach(list)
      const chosen = () => list.evaluate((select) => String(select.selectedOptions[0]?.label))
      for (const arrow of ['ArrowDown', 'ArrowUp'])
        for (let last = ''; last !== (await chosen()) && (await chosen()) !== option; ) {
          last = await chosen()
          await keyboard.press(arrow)
          await checkFocusIsKept(page)
        }
      assert.equal(await chosen(), option, `${list} has no such option`)
    },
    pick: (radio) => pickByArrows(page, radio, reach),
    attach: (field, file) =>
      attachBy(page, file, async () => {
        await reach(field)
        await keyboard.press('Space')
      }),
    goTo: async (area) => {
      await press(page.getByRole('navigation').getByRole('link', { name: area, exact: true }))
      await page.getByRole('heading', { level: 1, name: area, exact: true }).waitFor({ timeout })
    },
    closeDialog: async () => {
      await page.getByRole('dialog').waitFor({ timeout })
      await keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached', timeout })
    },
    rest: () => checkFocusIsKept(page),
  }
}

/** Goes to the radio button that is chosen, as Tab leads there, and by the arrows to the one that is meant. */
async function pickByArrows(page: Page, radio: Locator, reach: Hand['press']): Promise<void> {
  await radio.waitFor({ timeout })
  const group = page.locator(`input[type=radio][name="${await radio.getAttribute('name')}"]`)
  await reach(group.and(page.locator(':checked')))
  for (let steps = await group.count(); steps > 0 && !(await radio.isChecked()); steps--) {
    await page.keyboard.press('ArrowDown')
    await checkFocusIsKept(page)
  }
  assert.ok(await radio.isChecked(), `the arrows never reach ${radio}`)
}

/** Types a moment such as `2026-01-31T10:15` into its field, part by part as it is written in English; nothing clears the parts. */
async function typeMoment({ keyboard }: Page, text: string): Promise<void> {
  const [year, month, day, hour = 0, minute] = text.split(/\D/)
  const half = Number(hour) < 12 ? 'AM' : 'PM'
  const twelve = String(Number(hour) % 12 || 12).padStart(2, '0')
  const parts = text === '' ? Array.from({ length: 6 }, () => '') : [month, day, year, twelve, minute, half]
  for (const part of parts) {
    if (part) await keyboard.type(part)
    else await keyboard.press('Backspace')
    // A part that is full hands the cursor on by itself.
    if (part === year || part === '') await keyboard.press('ArrowRight')
  }
}

async function attachBy(page: Page, file: Attachment, open: () => Promise<void>): Promise<void> {
  // It is awaited well before it opens: the browser is told only then to hand it over.
  const [chooser] = await Promise.all([page.waitForEvent('filechooser', { timeout }), open()])
  await chooser.setFiles(file)
}

/** Fails if anything is wider than the page, the dialog or the table that it stands in. */
async function checkFits(page: Page): Promise<void> {
  const wide = await page.evaluate<
    string[]
  >(`[document.documentElement, ...document.querySelectorAll('main, dialog, table')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ localName, scrollWidth, clientWidth }) => localName + ': ' + scrollWidth + ' pixels in ' + clientWidth)`)
  assert.deepEqual(wide, [], 'something must be scrolled sideways')
}

/**
 * Fails if the element with the focus is gone and no other has it: a person who does not see the page would not know where
 * they are.
 */
async function checkFocusIsKept(page: Page): Promise<void> {
  await page
    .locator(':focus')
    .waitFor({ state: 'attached', timeout: 5_000 })
    .catch(() => assert.fail(`the focus was lost at ${page.url()}`))
}

/** Fails if a person who sees the page does not see, within a second, where the focus is: a page that is being redrawn may move it. */
async function checkFocusIsSeen(page: Page, target: Locator): Promise<void> {
  let unseen = await whyUnseen(target)
  for (let looks = 1; unseen !== null && looks < 20; looks++) {
    await page.waitForTimeout(50)
    unseen = await whyUnseen(target)
  }
  assert.equal(unseen, null, `nobody sees that the focus is on ${target} at ${page.url()}`)
}

const whyUnseen = (target: Locator) =>
  target.evaluate((element) => {
    const { defaultView: window } = element.ownerDocument
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const isBeyond = bottom <= 0 || right <= 0 || top >= window.innerHeight || left >= window.innerWidth
    if (isBeyond) return 'it is beyond the window'
    const focused = element.ownerDocument.activeElement
    if (focused !== element) return 'the focus has moved to ' + focused?.outerHTML.slice(0, 200)
    const places = [element, element.closest('label')].filter(Boolean)
    const isMarked = places.some((place) => window.getComputedStyle(place).outlineStyle !== 'none')
    return isMarked ? null : 'nothing marks it'
  })

import { h, render } from 'preact'
import { Page } from './page.ts'
import { type Shown, Visit } from './visit.ts'
import { speakFor } from './words.ts'

/*
 * The page on which a customer links their account. Its token stays in the fragment of the URL, and nowhere else: phones throw pages
 * away while their owner types the code into another app, and load them again afterwards. Once the account is linked, it opens nothing.
 */

const root = document.querySelector('#page') as HTMLElement
let visit: Visit | undefined

const draw = (shown: Shown) => {
  const { activeElement } = document
  render(h(Page, { shown, visit }), root)
  // A person who uses a keyboard goes on where the page does, if the control they have just used is gone.
  if (activeElement?.isConnected === false && document.activeElement === document.body)
    root.querySelector('h1')?.focus()
}

function open(): void {
  visit?.end()
  visit = new Visit({
    token: location.hash.slice(1),
    draw,
    way: isPhone() ? 'code' : 'qr',
    // It belongs to this page in this tab, also when a phone loads it again, and to no other link.
    isAgreed: history.state === agreed,
    onAgreed: () => history.replaceState(agreed, ''),
  })
}

const agreed = 'agreed'

/** Returns true if this is the device that the account is on: it is touched, and fits into a hand. */
function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 700
}

await speakFor(null)
addEventListener('hashchange', () => {
  if (location.hash !== '') open()
})
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void visit?.look()
})
setInterval(() => visit?.tick(), 1_000)
open()

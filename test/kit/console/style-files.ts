import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const folder = new URL('../../../src/web/console/style/', import.meta.url)

/** The names of the files with styles of the console. */
export const styleFiles: readonly string[] = readdirSync(folder).map((name) => name.replace(/\.css$/, ''))

/**
 * Returns the number of elements in sight that look otherwise without the rules of a file, of at most forty; -1 if the page does not have these
 * rules. The page looks as before afterwards.
 */
export function elementsDecidedBy(page: Page, file: string): Promise<number> {
  const rules = JSON.stringify(readFileSync(new URL(`${file}.css`, folder), 'utf8'))
  return page.evaluate(`(() => {
    const own = new CSSStyleSheet()
    own.replaceSync(${rules})
    const texts = [...own.cssRules].map(({ cssText }) => cssText)
    const selectorsOf = (rules) => [...rules].flatMap((rule) =>
      [...(rule.selectorText ? [rule.selectorText] : []), ...(rule.cssRules ? selectorsOf(rule.cssRules) : [])])
    const found = selectorsOf(own.cssRules).flatMap((selector) => [...document.querySelectorAll(selector)].slice(0, 3))
    const elements = [...new Set(found)].filter((one) => one.getClientRects().length > 0).slice(0, 40)
    const looks = () => elements.map((one) => {
      const style = getComputedStyle(one)
      return [...style].map((name) => style.getPropertyValue(name)).join()
    })
    for (const sheet of document.styleSheets) {
      const all = [...sheet.cssRules].map(({ cssText }) => cssText)
      const at = all.findIndex((_, index) => texts.every((text, offset) => all[index + offset] === text))
      if (at < 0) continue
      const before = looks()
      for (const _ of texts) sheet.deleteRule(at)
      const without = looks()
      texts.forEach((text, offset) => sheet.insertRule(text, at + offset))
      return before.filter((look, index) => look !== without[index]).length
    }
    return -1
  })()`)
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** A screen of the console. */
export interface Place {
  /** A short name, such as `one-instance`, unlike that of any other. */
  readonly name: string
  readonly path: readonly string[]
}

const table = readFileSync(new URL('../../../src/web/console/shell/routes.ts', import.meta.url), 'utf8')

/** Every screen that the console has, with the names in its path replaced by these. */
export function placesOf(named: Readonly<Record<string, string>>): readonly Place[] {
  const patterns = [...table.matchAll(/\{ pattern: \[(.*?)\]/g)].map(([, pattern = '']) =>
    [...pattern.matchAll(/'([^']+)'/g)].map(([, segment = '']) => segment),
  )
  assert.ok(patterns.length > 0, 'no screen was found')
  return patterns.map((pattern) => {
    const words = pattern.map((segment) => segment.replace(/^[:~]/, ''))
    const path = pattern.map((segment) => {
      if (!segment.startsWith(':')) return segment
      const value = named[segment.slice(1)]
      assert.ok(value !== undefined, `add what ${segment} stands for to test/kit/console/furnished.ts`)
      return value
    })
    return { name: words.join('-'), path }
  })
}

/** True for a screen that only the operator has. */
export const isForOperator = ({ name }: Place) => /^(organization|nodes|server)/.test(name)

/** Returns the address of a screen, behind the `#`. */
export function linkTo({ path }: Place): string {
  return `#/${path.map(encodeURIComponent).join('/')}`
}

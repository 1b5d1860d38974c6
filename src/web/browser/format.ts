import type { Phrase } from '../../locales/phrase.ts'

export type Values = Readonly<Record<string, string | number>>

/** A phrase with its placeholders filled: `{count}` chooses the plural form, and numbers are written as the language does. */
export function format(phrase: Phrase, values: Values, tag: string): string {
  const text = typeof phrase === 'string' ? phrase : (phrase[categoryOf(values.count, tag)] ?? phrase.other)
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(values[name], tag))
}

function shown(value: string | number | undefined, tag: string): string {
  return typeof value === 'number' ? new Intl.NumberFormat(tag).format(value) : (value ?? '')
}

function categoryOf(count: string | number | undefined, tag: string): Intl.LDMLPluralRule {
  return new Intl.PluralRules(tag).select(Number(count))
}

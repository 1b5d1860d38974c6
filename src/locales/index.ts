import { en } from './en/index.ts'
import { es } from './es/index.ts'
import type { LanguageTag } from './languages.ts'
import { ptBR } from './pt-BR/index.ts'

/** The words of every language, by page. */
export const locales = { en, 'pt-BR': ptBR, es } as const satisfies Record<LanguageTag, object>
export type English = typeof en

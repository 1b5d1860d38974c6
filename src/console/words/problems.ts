import { language, phrases } from '../core/language.ts'

/** The problems that people meet most, in the languages that the server does not speak. Its own words are English. */
const table = {
  unauthenticated: ['The key is not valid.', 'A chave não é válida.', 'La clave no es válida.'],
  key_expired: ['The key has expired.', 'A chave expirou.', 'La clave ha caducado.'],
  forbidden: [
    'This key may not do that.',
    'Esta chave não tem permissão para isso.',
    'Esta clave no tiene permiso para eso.',
  ],
  invalid_request: [
    'Some values are not valid.',
    'Alguns valores não são válidos.',
    'Algunos valores no son válidos.',
  ],
  instance_not_found: [
    'There is no such instance.',
    'Essa instância não existe.',
    'Esa instancia no existe.',
  ],
  instance_name_taken: [
    'Another instance has this name.',
    'Outra instância tem esse nome.',
    'Otra instancia tiene ese nombre.',
  ],
  message_not_found: ['There is no such message.', 'Essa mensagem não existe.', 'Ese mensaje no existe.'],
  rate_limited: [
    'Too many requests. Wait a moment.',
    'Requisições demais. Aguarde um momento.',
    'Demasiadas solicitudes. Espera un momento.',
  ],
  store_unavailable: [
    'The database cannot be reached at the moment.',
    'O banco de dados está inacessível no momento.',
    'No se puede acceder a la base de datos en este momento.',
  ],
} as const

const say = phrases(table)

/** What a problem means, in a language other than English; undefined if only the server says so, in English. */
export function problemText(code: string): string | undefined {
  return language() !== 'en' && code in table ? say(code as keyof typeof table) : undefined
}

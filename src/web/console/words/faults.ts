import { RefusedError } from '../core/api.ts'
import { translation } from '../core/language.ts'
import type { Translation } from '../core/translation.ts'

/** Why values are refused, by code; in English, the server says it. `{detail}` is what it says of this case. */
const table: Readonly<Record<string, Translation>> = {
  missing: ['É preciso informar este valor.', 'Este valor es obligatorio.'],
  unknown_field: ['Este campo não existe aqui.', 'Este campo no existe aquí.'],
  repeated: ['Este valor está repetido.', 'Este valor está repetido.'],
  duplicate: ['Este valor está repetido.', 'Este valor está repetido.'],
  wrong_type: ['O valor é de outro tipo: {detail}', 'El valor es de otro tipo: {detail}'],
  wrong_form: ['O formato não está certo: {detail}', 'El formato no es correcto: {detail}'],
  not_changeable: ['Isto não pode ser alterado: {detail}', 'Esto no se puede cambiar: {detail}'],
  not_allowed: ['Este valor não é permitido: {detail}', 'Este valor no está permitido: {detail}'],
  too_short: ['O texto é curto demais: {detail}', 'El texto es demasiado corto: {detail}'],
  too_long: ['O texto é longo demais: {detail}', 'El texto es demasiado largo: {detail}'],
  out_of_range: ['O número está fora do intervalo: {detail}', 'El número está fuera del intervalo: {detail}'],
  too_few: ['Faltam itens: {detail}', 'Faltan elementos: {detail}'],
  too_many: ['Há itens demais: {detail}', 'Hay demasiados elementos: {detail}'],
  too_large: ['O arquivo é grande demais: {detail}', 'El archivo es demasiado grande: {detail}'],
  in_the_future: ['Esta data está no futuro.', 'Esta fecha está en el futuro.'],
  text_not_representable: [
    'O texto contém caracteres que não podem ser transmitidos.',
    'El texto contiene caracteres que no se pueden transmitir.',
  ],
  recipient_invalid: [
    'Este endereço não é válido nesta rede: {detail}',
    'Esta dirección no es válida en esta red: {detail}',
  ],
  url_refused: [
    'O Posthorn não pode enviar a esta URL: {detail}',
    'Posthorn no puede enviar a esta URL: {detail}',
  ],
  network_unknown: ['Este servidor não tem essa rede.', 'Este servidor no tiene esa red.'],
  address_invalid: ['O endereço não é válido: {detail}', 'La dirección no es válida: {detail}'],
  password_required: [
    'É preciso uma senha, a não ser que a conta deva ser registrada.',
    'Hace falta una contraseña, salvo que la cuenta se vaya a registrar.',
  ],
  plaintext_not_local: [
    'Sem criptografia, só são permitidas conexões com um servidor nesta máquina (localhost ou um endereço de loopback).',
    'Sin cifrado solo se permiten conexiones a un servidor de esta máquina (localhost o una dirección de loopback).',
  ],
  service_invalid: [
    'O formato do servidor não está certo: {detail}',
    'El formato del servidor no es correcto: {detail}',
  ],
  proxy_invalid: ['O proxy não é válido: {detail}', 'El proxy no es válido: {detail}'],
  proxy_missing: [
    'Não há proxy configurado. Informe um nas configurações ou deixe este campo em branco.',
    'No hay ningún proxy configurado. Indica uno en la configuración o deja este campo vacío.',
  ],
  proxy_login_incomplete: [
    'Informe o usuário e a senha do proxy, ou nenhum dos dois.',
    'Indica el usuario y la contraseña del proxy, o ninguno de los dos.',
  ],
  ids_equal: [
    'O número e a conta comercial têm IDs diferentes. A Meta mostra os dois em “API Setup”.',
    'El número y la cuenta comercial tienen ID distintos. Meta muestra ambos en “API Setup”.',
  ],
  app_secret_missing: [
    'É preciso informar também o segredo do app.',
    'También hace falta el secreto de la app.',
  ],
  verify_token_missing: [
    'É preciso informar também o token de verificação.',
    'También hace falta el token de verificación.',
  ],
  verify_token_not_separate: [
    'O token de verificação faz parte de uma URL. Escolha uma palavra que não seja um segredo do app.',
    'El token de verificación forma parte de una URL. Elige una palabra que no sea un secreto de la app.',
  ],
  callbacks_impossible: [
    'A rede não consegue enviar callbacks a este servidor: {detail}',
    'La red no puede enviar callbacks a este servidor: {detail}',
  ],
  requires_link: [
    'Isto só tem efeito se a conta for vinculada dessa forma.',
    'Esto solo tiene efecto si la cuenta se vincula de esa forma.',
  ],
  pacing_form: [
    'Informe mensagens e segundos, uma pausa, ou desative o ritmo: só uma dessas opções.',
    'Indica mensajes y segundos, una pausa, o desactiva el ritmo: solo una de estas opciones.',
  ],
  pause_reversed: [
    'A pausa mínima é maior que a máxima. Troque as duas.',
    'La pausa mínima es mayor que la máxima. Intercámbialas.',
  ],
}

/** Why a value was refused, in the language of the page; in the server's English words if there are no others. */
export function faultText(code: string, detail: string): string {
  return translation(table, code)?.replace('{detail}', () => detail) ?? detail
}

/** Why the server refused values, by their JSON pointers. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof RefusedError ? error.problem?.errors : undefined
  return new Map(errors?.map(({ pointer, code, detail }) => [pointer, faultText(code, detail)]))
}

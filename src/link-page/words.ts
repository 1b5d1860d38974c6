type Phrase = readonly [english: string, portuguese: string, spanish: string]

const tags = ['en', 'pt-BR', 'es'] as const

/** What the page says, in each of its languages. `{network}` and the like are replaced. */
const phrases = {
  title: ['Link your account', 'Vincular sua conta', 'Vincular tu cuenta'],
  heading: [
    'Link your {network} account',
    'Vincule sua conta do {network}',
    'Vincula tu cuenta de {network}',
  ],
  introduction: [
    'Whoever sent you this link will be able to read and send messages with your account. Go on only if you know and trust them.',
    'Quem enviou este link poderá ler e enviar mensagens com a sua conta. Continue somente se conhece quem enviou e confia nessa pessoa ou empresa.',
    'Quien te envió este enlace podrá leer y enviar mensajes con tu cuenta. Continúa solo si conoces a esa persona o empresa y confías en ella.',
  ],
  onOtherScreen: [
    'To scan a QR code with the phone, open this page on another screen. On the phone itself, use its number.',
    'Para escanear um QR code com o celular, abra esta página em outra tela. No próprio celular, use o número.',
    'Para escanear un código QR con el teléfono, abre esta página en otra pantalla. En el propio teléfono, usa su número.',
  ],
  useQr: ['Show a QR code', 'Mostrar um QR code', 'Mostrar un código QR'],
  useCode: ['Use the phone number', 'Usar o número de telefone', 'Usar el número de teléfono'],
  phone: [
    'Phone number, with the country code',
    'Número de telefone, com o código do país',
    'Número de teléfono, con el código de país',
  ],
  getCode: ['Get a code', 'Receber um código', 'Obtener un código'],
  phoneUnfit: [
    'This is not a complete phone number. Begin with the country code, such as +55.',
    'Este não é um número completo. Comece com o código do país, como +55.',
    'Este no es un número completo. Empieza con el código de país, como +55.',
  ],
  preparing: [
    'Waiting for {network}. This takes a few seconds.',
    'Aguardando o {network}. Isso leva alguns segundos.',
    'Esperando a {network}. Esto tarda unos segundos.',
  ],
  scan: [
    'Open {network} on your phone, choose to link a device, and scan this code.',
    'Abra o {network} no celular, escolha conectar um dispositivo e escaneie este código.',
    'Abre {network} en tu teléfono, elige vincular un dispositivo y escanea este código.',
  ],
  qrPicture: ['QR code to scan', 'QR code para escanear', 'Código QR para escanear'],
  type: [
    'Open {network} on your phone, choose to link a device with the phone number, and type this code.',
    'Abra o {network} no celular, escolha conectar um dispositivo com o número de telefone e digite este código.',
    'Abre {network} en tu teléfono, elige vincular un dispositivo con el número de teléfono y escribe este código.',
  ],
  openPage: [
    'Continue on this page, and then come back.',
    'Continue nesta página e depois volte.',
    'Continúa en esta página y después vuelve.',
  ],
  answer: ['Your answer', 'Sua resposta', 'Tu respuesta'],
  sendAnswer: ['Send', 'Enviar', 'Enviar'],
  answerRefused: [
    '{network} did not accept this answer. Try again.',
    'O {network} não aceitou essa resposta. Tente de novo.',
    '{network} no aceptó esa respuesta. Inténtalo de nuevo.',
  ],
  nextIn: ['It is valid for {time}.', 'Válido por {time}.', 'Válido durante {time}.'],
  nextSoon: ['The next one is coming.', 'O próximo já vem.', 'Ya viene el siguiente.'],
  linked: ['Your account is linked', 'Sua conta está vinculada', 'Tu cuenta está vinculada'],
  canClose: ['You can close this page.', 'Você pode fechar esta página.', 'Puedes cerrar esta página.'],
  timedOut: [
    'The code was not used in time. Begin again when you are ready.',
    'O código não foi usado a tempo. Comece de novo quando quiser.',
    'El código no se usó a tiempo. Empieza de nuevo cuando quieras.',
  ],
  failed: [
    '{network} refused to link the account. Try again; if it is refused again, tell whoever sent you this link.',
    'O {network} recusou o vínculo. Tente de novo; se for recusado outra vez, avise quem enviou este link.',
    '{network} rechazó la vinculación. Inténtalo de nuevo; si la rechaza otra vez, avisa a quien te envió este enlace.',
  ],
  ended: ['This link is no longer valid', 'Este link não é mais válido', 'Este enlace ya no es válido'],
  askAgain: [
    'It has expired, was used, or was ended. Ask the business for a new link.',
    'Ele expirou, já foi usado ou foi encerrado. Peça um novo link à empresa.',
    'Expiró, ya se usó o se anuló. Pide un enlace nuevo a la empresa.',
  ],
  loading: ['One moment', 'Um momento', 'Un momento'],
  unreachable: [
    'There is no connection to the server. Trying again…',
    'Sem conexão com o servidor. Tentando de novo…',
    'No hay conexión con el servidor. Intentando de nuevo…',
  ],
  tooOften: [
    'Too many attempts. Wait a few minutes.',
    'Muitas tentativas. Aguarde alguns minutos.',
    'Demasiados intentos. Espera unos minutos.',
  ],
  refused: [
    'That did not work. Try again in a moment.',
    'Não funcionou. Tente de novo em instantes.',
    'No funcionó. Inténtalo de nuevo en un momento.',
  ],
} as const satisfies Readonly<Record<string, Phrase>>

export type PhraseKey = keyof typeof phrases

let current = placeOf(navigator.languages)
document.documentElement.lang = tags[current] ?? 'en'

/** Speaks the language of the page from now on, if one was chosen for it. */
export function speak(tag: string | null): void {
  if (tag !== null) current = placeOf([tag])
  document.documentElement.lang = tags[current] ?? 'en'
  document.title = say('title')
}

/** A phrase in the current language. */
export function say(key: PhraseKey, values: Readonly<Record<string, string>> = {}): string {
  return (phrases[key][current] ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

/** Minutes and seconds, as clocks show them. */
export function clockTime(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function placeOf(wanted: readonly string[]): number {
  const known = tags.map((tag) => tag.slice(0, 2))
  const places = wanted.map((tag) => known.indexOf(tag.slice(0, 2).toLowerCase()))
  return places.find((place) => place >= 0) ?? 0
}

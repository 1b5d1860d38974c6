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
  warning: [
    'Whoever sent you this link will be able to read and send messages with your {network} account.',
    'Quem enviou este link poderá ler e enviar mensagens com a sua conta do {network}.',
    'Quien te envió este enlace podrá leer y enviar mensajes con tu cuenta de {network}.',
  ],
  onlyIfTrusted: [
    'Go on only if you know and trust them.',
    'Continue somente se você conhece quem enviou e confia nessa pessoa ou empresa.',
    'Continúa solo si conoces a esa persona o empresa y confías en ella.',
  ],
  unchecked: [
    'The name above was given by the sender. Nobody has checked it.',
    'O nome acima foi informado por quem enviou o link. Ninguém o verificou.',
    'El nombre de arriba lo puso quien envió el enlace. Nadie lo ha verificado.',
  ],
  logo: ['Picture of {name}', 'Imagem de {name}', 'Imagen de {name}'],
  uncheckedPicture: [
    'The name and the picture above were given by the sender. Nobody has checked them.',
    'O nome e a imagem acima foram informados por quem enviou o link. Ninguém os verificou.',
    'El nombre y la imagen de arriba los puso quien envió el enlace. Nadie los ha verificado.',
  ],
  agree: [
    'I trust them, continue',
    'Confio em quem enviou, continuar',
    'Confío en quien lo envió, continuar',
  ],
  otherwiseClose: [
    'If you did not expect this link, close this page: nothing has happened yet.',
    'Se você não esperava este link, feche esta página: nada aconteceu ainda.',
    'Si no esperabas este enlace, cierra esta página: todavía no ha pasado nada.',
  ],
  onOtherScreen: [
    'Is this page open on another device than the account? Then you can scan a QR code.',
    'Esta página está aberta em outro aparelho, e não no celular da conta? Então você pode escanear um QR code.',
    '¿Esta página está abierta en otro dispositivo que el de la cuenta? Entonces puedes escanear un código QR.',
  ],
  showQr: ['Show a QR code', 'Mostrar um QR code', 'Mostrar un código QR'],
  useCode: ['Use a code instead', 'Usar um código', 'Usar un código'],
  whyPhone: [
    'Type the phone number of your {network} account. You get a code for it, which you type in {network}.',
    'Digite o número de telefone da sua conta do {network}. Você recebe um código para digitar no {network}.',
    'Escribe el número de teléfono de tu cuenta de {network}. Recibes un código para escribirlo en {network}.',
  ],
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
  step: ['What to do now', 'O que fazer agora', 'Qué hacer ahora'],
  yourCode: ['Your code:', 'Seu código:', 'Tu código:'],
  copyCode: ['Copy the code', 'Copiar o código', 'Copiar el código'],
  copied: ['Copied', 'Copiado', 'Copiado'],
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
  endsIn: ['This link ends in {time}.', 'Este link expira em {time}.', 'Este enlace caduca en {time}.'],
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
  return inLanguage(phrases[key]).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

/** A text that is there in each of the languages, in the current one. */
export function inLanguage(phrase: Phrase): string {
  return phrase[current] ?? phrase[0]
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The time that is left: days and hours, or as clocks show it. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  if (seconds >= day)
    return `${unit(Math.floor(seconds / day), 'day')} ${unit(Math.floor((seconds % day) / hour), 'hour')}`
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor((seconds % hour) / minute)
  const hours = Math.floor(seconds / hour)
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % minute)}`
}

function unit(value: number, name: 'day' | 'hour'): string {
  return new Intl.NumberFormat(tags[current], { style: 'unit', unit: name, unitDisplay: 'long' }).format(
    value,
  )
}

function placeOf(wanted: readonly string[]): number {
  const known = tags.map((tag) => tag.slice(0, 2))
  const places = wanted.map((tag) => known.indexOf(tag.slice(0, 2).toLowerCase()))
  return places.find((place) => place >= 0) ?? 0
}

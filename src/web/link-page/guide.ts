import { inLanguage } from './words.ts'

type Line = readonly [english: string, portuguese: string, spanish: string]

/** The way through an app to where it takes a code. Names of menus stand between asterisks, as the app has them in each language. */
interface Path {
  readonly open: Line
  readonly menu: { readonly android: Line; readonly iphone: Line; readonly any: Line }
  readonly devices: Line
  readonly scan: Line
  readonly type: Line
  /** What shortens the way for a code. */
  readonly notification: Line
}

/** By the title of the network. For others the page says what to do in a sentence. */
const paths: Readonly<Record<string, Path>> = {
  WhatsApp: {
    open: [
      'Open WhatsApp on the phone of this account.',
      'Abra o WhatsApp no celular desta conta.',
      'Abre WhatsApp en el teléfono de esta cuenta.',
    ],
    menu: {
      android: ['Tap *More options* (⋮).', 'Toque em *Mais opções* (⋮).', 'Toca *Más opciones* (⋮).'],
      iphone: ['Tap *Settings*.', 'Toque em *Configurações*.', 'Toca *Configuración*.'],
      any: [
        'On Android, tap *More options* (⋮); on an iPhone, *Settings*.',
        'No Android, toque em *Mais opções* (⋮); no iPhone, em *Configurações*.',
        'En Android, toca *Más opciones* (⋮); en iPhone, *Configuración*.',
      ],
    },
    devices: [
      'Tap *Linked devices*, and then *Link a device*.',
      'Toque em *Dispositivos conectados* e depois em *Conectar dispositivo*.',
      'Toca *Dispositivos vinculados* y después *Vincular un dispositivo*.',
    ],
    scan: [
      'Point the phone at this screen, so that it scans the code.',
      'Aponte o celular para esta tela para escanear o código.',
      'Apunta el teléfono a esta pantalla para escanear el código.',
    ],
    type: [
      'Tap *Link with phone number instead*, and enter the code.',
      'Toque em *Conectar com número de telefone* e digite o código.',
      'Toca *Vincular con el número de teléfono* e introduce el código.',
    ],
    notification: [
      'If WhatsApp shows a notification about linking a device, you can tap that instead and enter the code.',
      'Se o WhatsApp mostrar uma notificação para conectar um dispositivo, você pode tocar nela e digitar o código.',
      'Si WhatsApp muestra una notificación para vincular un dispositivo, también puedes tocarla e introducir el código.',
    ],
  },
}

interface Guide {
  readonly steps: readonly string[]
  readonly hint: string | undefined
}

/** The steps in which a code is used in the app of a network; undefined if the page does not know the app. */
export function guideTo(network: string, kind: 'qr' | 'code'): Guide | undefined {
  const path = Object.hasOwn(paths, network) ? paths[network] : undefined
  if (!path) return undefined
  const lines = [path.open, path.menu[device(kind)], path.devices, kind === 'qr' ? path.scan : path.type]
  return { steps: lines.map(inLanguage), hint: kind === 'code' ? inLanguage(path.notification) : undefined }
}

/** Whoever types a code on a phone has the app on that phone; whoever scans one has it on another. */
function device(kind: 'qr' | 'code'): keyof Path['menu'] {
  if (kind === 'code' && /Android/.test(navigator.userAgent)) return 'android'
  return kind === 'code' && /iPhone/.test(navigator.userAgent) ? 'iphone' : 'any'
}

/** Words of the page in a language. The names of menus are those of the app in that language. */
export interface LinkPageWords {
  readonly language: 'en' | 'pt-BR' | 'es'
  readonly phone: string
  readonly heading: string
  readonly warning: RegExp
  readonly agree: string
  readonly number: string
  readonly getCode: string
  readonly menus: readonly string[]
  readonly copy: string
  readonly copied: string
  readonly linked: string
}

export const english: LinkPageWords = {
  language: 'en',
  phone: '4915100000201',
  heading: 'Link your WhatsApp account',
  warning: /^Whoever sent you this link will be able to read and send messages with your \w+ account\.$/,
  agree: 'I trust them, continue',
  number: 'Phone number, with the country code',
  getCode: 'Get a code',
  menus: ['More options', 'Settings', 'Linked devices', 'Link a device', 'Link with phone number instead'],
  copy: 'Copy the code',
  copied: 'Copied',
  linked: 'Your account is linked',
}

export const portuguese: LinkPageWords = {
  language: 'pt-BR',
  phone: '5511912345678',
  heading: 'Vincule sua conta do WhatsApp',
  warning: /^Quem enviou este link poderá ler e enviar mensagens com a sua conta do WhatsApp\.$/,
  agree: 'Confio em quem enviou, continuar',
  number: 'Número de telefone, com o código do país',
  getCode: 'Receber um código',
  menus: [
    'Mais opções',
    'Configurações',
    'Dispositivos conectados',
    'Conectar dispositivo',
    'Conectar com número de telefone',
  ],
  copy: 'Copiar o código',
  copied: 'Copiado',
  linked: 'Sua conta está vinculada',
}

export const spanish: LinkPageWords = {
  language: 'es',
  phone: '5215512345678',
  heading: 'Vincula tu cuenta de WhatsApp',
  warning: /^Quien te envió este enlace podrá leer y enviar mensajes con tu cuenta de WhatsApp\.$/,
  agree: 'Confío en quien lo envió, continuar',
  number: 'Número de teléfono, con el código de país',
  getCode: 'Obtener un código',
  menus: [
    'Más opciones',
    'Configuración',
    'Dispositivos vinculados',
    'Vincular un dispositivo',
    'Vincular con el número de teléfono',
  ],
  copy: 'Copiar el código',
  copied: 'Copiado',
  linked: 'Tu cuenta está vinculada',
}

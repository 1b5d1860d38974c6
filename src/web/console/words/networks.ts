import type { Translation, Words } from '../core/translation.ts'
import { testAddressWords } from './test-addresses.ts'

/** What a network is, and what its fields mean; in English, its driver says it. */
export interface NetworkWords {
  readonly intro: Translation
  readonly fields: Readonly<Record<string, Translation>>
  /** What happens to messages to its test addresses, by the word behind the `@`. */
  readonly testAddresses?: Readonly<Record<string, Translation>>
}

export const networkWords = {
  sandbox: {
    intro: [
      'Uma rede só para testes, que faz parte do Posthorn e não precisa de conta: o endereço do destinatário determina o que acontece com a mensagem.',
      'Una red solo para probar, que forma parte de Posthorn y no necesita cuenta: la dirección del destinatario determina qué pasa con el mensaje.',
    ],
    fields: {
      account: [
        'O nome da conta; o endereço dela é `<conta>@delivers.sandbox`.',
        'El nombre de la cuenta; su dirección es `<cuenta>@delivers.sandbox`.',
      ],
      behaviour: ['O que a conexão faz.', 'Lo que hace la conexión.'],
      after_seconds: [
        'Quanto tempo a conexão espera antes de fazer o que diz o comportamento.',
        'Cuánto espera la conexión antes de hacer lo que dice el comportamiento.',
      ],
      reply_window_seconds: [
        'Por quanto tempo se pode responder a quem escreveu, como em algumas redes. Sem valor, a qualquer momento.',
        'Durante cuánto tiempo se puede responder a quien escribió, como en algunas redes. Sin valor, en cualquier momento.',
      ],
      link: [
        'Sem token, uma pessoa precisa antes vincular a conta: ler um QR code, digitar um código, abrir uma página ou responder a uma pergunta.',
        'Sin token, una persona tiene que vincular antes la cuenta: escanear un código QR, escribir un código, abrir una página o responder a una pregunta.',
      ],
      links_after_seconds: [
        'Depois de quantos segundos a rede de testes age como se alguém tivesse feito isso.',
        'Después de cuántos segundos la red de pruebas actúa como si alguien lo hubiera hecho.',
      ],
      link_step_seconds: [
        'Por quanto tempo vale cada etapa do vínculo.',
        'Durante cuánto tiempo es válido cada paso de la vinculación.',
      ],
      token: ['Qualquer token é aceito, exceto `refused`.', 'Se acepta cualquier token, salvo `refused`.'],
    },
    testAddresses: testAddressWords,
  },
  telegram: {
    intro: [
      'Um bot do Telegram. Crie um com o [@BotFather](https://t.me/botfather) e informe o token dele. Não é preciso um endereço público. A pessoa precisa escrever primeiro para o bot.',
      'Un bot de Telegram. Crea uno con [@BotFather](https://t.me/botfather) e indica su token. No hace falta una dirección pública. La persona tiene que escribir primero al bot.',
    ],
    fields: {
      updates: [
        'Como as mensagens chegam. `polling`: o Posthorn as busca no Telegram, sem endereço público. `callback`: o Telegram as envia à URL de callback da instância; o servidor precisa ser acessível da internet.',
        'Cómo llegan los mensajes. `polling`: Posthorn los pide a Telegram, sin dirección pública. `callback`: Telegram los envía a la URL de callback de la instancia; el servidor debe ser accesible desde internet.',
      ],
      token: [
        'O token do bot, do [@BotFather](https://t.me/botfather). Quem o tem controla o bot.',
        'El token del bot, de [@BotFather](https://t.me/botfather). Quien lo tiene controla el bot.',
      ],
    },
  },
  'whatsapp-cloud': {
    intro: [
      'Um número comercial do WhatsApp, pela API hospedada pela Meta. Os destinatários são números de telefone com o código do país, como `+55 11 91234-5678`.',
      'Un número comercial de WhatsApp, mediante la API alojada por Meta. Los destinatarios son números de teléfono con el código de país, como `+52 55 1234 5678`.',
    ],
    fields: {
      phone_number_id: [
        'O ID do número comercial, em “API Setup” do app na Meta. Não é o próprio número de telefone.',
        'El ID del número comercial, en “API Setup” de la app en Meta. No es el número de teléfono en sí.',
      ],
      business_account_id: [
        'O ID da conta do WhatsApp Business a que o número pertence. Com ele, os modelos podem ser listados.',
        'El ID de la cuenta de WhatsApp Business a la que pertenece el número. Con él se pueden mostrar sus plantillas.',
      ],
      api_version: [
        'A versão da Graph API. A Meta mantém cada uma por cerca de dois anos.',
        'La versión de la Graph API. Meta mantiene cada una unos dos años.',
      ],
      access_token: [
        'Um token de um usuário do sistema com as permissões `whatsapp_business_messaging` e `whatsapp_business_management`.',
        'Un token de un usuario del sistema con los permisos `whatsapp_business_messaging` y `whatsapp_business_management`.',
      ],
      app_secret: [
        'O segredo do seu app, com que a Meta assina os callbacks e com que se prova que cada pedido vem do app. Deixe-o em branco, junto com o token de verificação, para usar o app do operador, se o servidor tiver um.',
        'El secreto de tu app, con el que Meta firma sus callbacks y con el que se prueba que cada solicitud viene de la app. Déjalo vacío, junto con el token de verificación, para usar la app del operador, si el servidor tiene una.',
      ],
      verify_token: [
        'Uma palavra à sua escolha. Informe a mesma na Meta com a URL de callback.',
        'Una palabra que eliges tú. Indica la misma en Meta con la URL de callback.',
      ],
    },
  },
  whatsapp: {
    intro: [
      'Uma conta do WhatsApp, vinculada pelo celular como o WhatsApp Web. O WhatsApp não permite apps não oficiais e pode restringir ou banir a conta: use um número que você possa perder.',
      'Una cuenta de WhatsApp, vinculada por su teléfono como WhatsApp Web. WhatsApp no permite apps no oficiales y puede restringir o suspender la cuenta: usa un número que puedas perder.',
    ],
    fields: {
      proxy: [
        'Um proxy pelo qual a instância acessa o WhatsApp: esquema (`http`, `https` ou `socks5`), host e, se preciso, porta.',
        'Un proxy por el que la instancia accede a WhatsApp: esquema (`http`, `https` o `socks5`), host y, si hace falta, puerto.',
      ],
      shown_online: [
        'Se as pessoas veem a conta como on-line enquanto a instância está conectada. Elas também veem dois tiques com o celular desligado, e o celular não mostra notificações. O padrão é não: os dois tiques vêm quando o celular recebe a mensagem.',
        'Si las personas ven la cuenta en línea mientras la instancia está conectada. También ven dos tics con el teléfono apagado, y el teléfono no muestra notificaciones. Lo predeterminado es que no: los dos tics llegan cuando el teléfono recibe el mensaje.',
      ],
      proxy_username: ['O usuário no proxy.', 'El nombre de usuario en el proxy.'],
      proxy_password: ['A senha no proxy.', 'La contraseña en el proxy.'],
    },
  },
  xmpp: {
    intro: [
      'Uma conta em qualquer servidor XMPP, seu ou de outra pessoa. Os destinatários são endereços como `ana@example.org`.',
      'Una cuenta en cualquier servidor XMPP, propio o ajeno. Los destinatarios son direcciones como `ana@example.org`.',
    ],
    fields: {
      address: [
        'A conta com que entrar: um endereço XMPP (JID) sem recurso.',
        'La cuenta con la que iniciar sesión: una dirección XMPP (JID) sin recurso.',
      ],
      service: [
        'Onde o servidor atende, se o DNS não disser: `xmpp://host:porta` (STARTTLS) ou `xmpps://host:porta` (TLS desde o primeiro byte).',
        'Dónde atiende el servidor, si el DNS no lo dice: `xmpp://host:puerto` (STARTTLS) o `xmpps://host:puerto` (TLS desde el primer byte).',
      ],
      register: [
        'Cria a conta no servidor se ela ainda não existir. Uma conta criada assim é apagada lá quando a instância é removida.',
        'Crea la cuenta en el servidor si aún no existe. Una cuenta creada así se borra allí cuando se elimina la instancia.',
      ],
      allow_plaintext: [
        'Conecta sem criptografia a um servidor nesta máquina. Só é permitido com `localhost` ou um endereço de loopback.',
        'Conecta sin cifrado a un servidor de esta máquina. Solo se permite con `localhost` o una dirección de loopback.',
      ],
      password: [
        'A senha da conta. Ela pode ficar em branco se a conta for registrada: então uma senha aleatória é criada e guardada.',
        'La contraseña de la cuenta. Puede quedar vacía si la cuenta se registra: entonces se crea y se guarda una aleatoria.',
      ],
    },
  },
} as const satisfies Readonly<Record<string, NetworkWords>>

/** What the fields mean that every network has. */
export const commonFieldWords = {
  pacing: [
    'Com que rapidez as mensagens podem sair, em vez do padrão da rede: um número de mensagens por tempo, uma pausa depois de cada uma, ou sem limite.',
    'Con qué rapidez pueden salir los mensajes, en vez del valor predeterminado de la red: un número de mensajes por tiempo, una pausa tras cada uno, o sin límite.',
  ],
  messages: ['No máximo este número de mensagens…', 'Como máximo este número de mensajes…'],
  seconds: ['… neste número de segundos.', '… en este número de segundos.'],
  pause: [
    'Uma pausa depois de cada mensagem, de duração aleatória entre estas.',
    'Una pausa tras cada mensaje, de duración aleatoria entre estas.',
  ],
  min_seconds: ['A pausa mais curta.', 'La pausa más corta.'],
  max_seconds: ['A pausa mais longa.', 'La pausa más larga.'],
  warm_up: [
    'Se as pausas são mais longas nos primeiros dias depois do vínculo. Esse é o padrão.',
    'Si las pausas son más largas en los primeros días después de la vinculación. Es lo predeterminado.',
  ],
  off: [
    'Sim, se as mensagens podem sair sem limite de ritmo.',
    'Sí, si los mensajes pueden salir sin límite de ritmo.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

/** What the fields of networks are called. Others are shown as their network spells them. */
export const fieldLabels = {
  access_token: ['Access token', 'Token de acesso', 'Token de acceso'],
  account: ['Account', 'Conta', 'Cuenta'],
  address: ['Address', 'Endereço', 'Dirección'],
  after_seconds: ['After (seconds)', 'Depois de (segundos)', 'Después de (segundos)'],
  allow_plaintext: ['Allow plain text', 'Permitir sem criptografia', 'Permitir sin cifrado'],
  api_version: ['API version', 'Versão da API', 'Versión de la API'],
  app_secret: ['App secret', 'Segredo do app', 'Secreto de la app'],
  behaviour: ['Behaviour', 'Comportamento', 'Comportamiento'],
  business_account_id: ['Business account ID', 'ID da conta comercial', 'ID de la cuenta comercial'],
  link: ['Way to link', 'Forma de vincular', 'Forma de vincular'],
  link_step_seconds: ['Seconds for each step', 'Segundos por etapa', 'Segundos por paso'],
  links_after_seconds: [
    'Linked after (seconds)',
    'Vinculada após (segundos)',
    'Vinculada después de (segundos)',
  ],
  max_seconds: ['At most, in seconds', 'No máximo, em segundos', 'Como máximo, en segundos'],
  messages: ['Messages', 'Mensagens', 'Mensajes'],
  min_seconds: ['At least, in seconds', 'No mínimo, em segundos', 'Como mínimo, en segundos'],
  off: ['Off', 'Desativado', 'Desactivado'],
  pacing: ['Pacing', 'Ritmo de envio', 'Ritmo de envío'],
  password: ['Password', 'Senha', 'Contraseña'],
  pause: ['Pause', 'Pausa', 'Pausa'],
  phone_number_id: ['Phone number ID', 'ID do número de telefone', 'ID del número de teléfono'],
  proxy: ['Proxy', 'Proxy', 'Proxy'],
  proxy_password: ['Proxy password', 'Senha do proxy', 'Contraseña del proxy'],
  proxy_username: ['Proxy user name', 'Usuário do proxy', 'Usuario del proxy'],
  register: ['Register', 'Registrar', 'Registrar'],
  reply_window_seconds: [
    'Reply window seconds',
    'Janela de resposta em segundos',
    'Ventana de respuesta en segundos',
  ],
  seconds: ['Seconds', 'Segundos', 'Segundos'],
  service: ['Server', 'Servidor', 'Servidor'],
  shown_online: ['Shown as online', 'Exibida como on-line', 'Se muestra en línea'],
  token: ['Token', 'Token', 'Token'],
  updates: ['Updates', 'Atualizações', 'Actualizaciones'],
  verify_token: ['Verify token', 'Token de verificação', 'Token de verificación'],
  warm_up: ['Warm up', 'Aquecimento', 'Calentamiento'],
} as const satisfies Readonly<Record<string, Words>>

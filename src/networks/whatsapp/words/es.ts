import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Una cuenta de WhatsApp, vinculada por su teléfono como WhatsApp Web. WhatsApp no permite apps no oficiales y puede restringir o suspender la cuenta: usa un número que puedas perder.',
    card: {
      name: 'WhatsApp',
      what: 'Tu propia cuenta. El teléfono sigue siendo el dispositivo principal, y este servidor es uno vinculado.',
      caution:
        'WhatsApp no permite apps no oficiales y puede restringir o suspender la cuenta. Usa un número que puedas perder o la API oficial de WhatsApp.',
    },
    labels: {
      proxy: 'Proxy',
      shown_online: 'Se muestra en línea',
      proxy_username: 'Usuario del proxy',
      proxy_password: 'Contraseña del proxy',
    },
    hints: {
      proxy:
        'Un proxy por el que la instancia accede a WhatsApp: esquema (`http`, `https` o `socks5`), host y, si hace falta, puerto.',
      shown_online:
        'Si las personas ven la cuenta en línea mientras la instancia está conectada. También ven dos tics con el teléfono apagado, y el teléfono no muestra notificaciones. Lo predeterminado es que no: los dos tics llegan cuando el teléfono recibe el mensaje.',
      proxy_username: 'El nombre de usuario en el proxy.',
      proxy_password: 'La contraseña en el proxy.',
    },
    reasons: {
      passkey_required:
        'La red exige una llave de acceso (passkey) para vincular esta cuenta, y Posthorn no puede transmitirla. Vincula otra cuenta o usa la API oficial.',
      link_refused:
        'La red rechazó la solicitud de un código para vincular el número. Verifica el número o vincula con un código QR. Tras demasiados intentos, espera unas horas.',
      link_failed: 'No se pudo verificar la respuesta del teléfono, y no se vinculó nada.',
      account_banned:
        'La red suspendió la cuenta. Abre la app en el teléfono, donde puedes pedir una revisión.',
      temporarily_banned:
        'La red suspendió la cuenta por un tiempo. Inicia la instancia solo cuando acabe la suspensión: cada intento anterior lo empeora.',
      client_outdated:
        'La red rechaza la conexión: la versión del programa es demasiado antigua o no se acepta el nombre de su navegador. Consulta al operador.',
      refused_by_whatsapp:
        'La red rechazó la conexión sin decir por qué. Abre la app en el teléfono, que puede decir más.',
      server_not_proven:
        'No se pudo confirmar que la respuesta viniera de la red. No se envía nada hasta que se confirme.',
      not_whatsapp:
        'La respuesta no vino de la red. Si el problema persiste, pídele al operador que verifique los proxies intermedios.',
      service_unavailable: 'La red no acepta conexiones en este momento.',
      proxy_unreachable:
        'No se puede acceder al proxy, o este no llega a la red. Verifica el proxy en la configuración.',
      proxy_refused:
        'El proxy rechazó el usuario o la contraseña. Reemplaza las credenciales e inicia la instancia.',
      proxy_not_allowed:
        'El operador no permite que las instancias se conecten a la dirección del proxy. Usa un proxy con dirección pública o pídele que la autorice (POSTHORN_CONNECT_ALLOW_CIDRS).',
      message_not_stored: 'Un mensaje recibido no se pudo guardar a tiempo. La red lo envía de nuevo.',
      keys_not_stored:
        'No se pudo guardar una clave de la vinculación. No se envía nada con una clave que puede perderse. Si el problema persiste, avisa al operador.',
      too_many_keys:
        'La vinculación tiene más claves de las que una instancia puede guardar. Quita este dispositivo en el teléfono (“Dispositivos vinculados”), inicia la instancia y vuelve a vincular la cuenta, o pídele al operador que aumente POSTHORN_KEY_LIMIT.',
      worker_crashed: 'El proceso que mantenía la conexión terminó. Avisa al operador.',
      worker_silent:
        'El proceso que mantenía la conexión dejó de responder y se cerró. Posthorn se vuelve a conectar. Avisa al operador.',
      worker_out_of_memory:
        'El proceso que mantenía la conexión necesitó más memoria de la que puede tener y se cerró. Posthorn se vuelve a conectar. Si vuelve a ocurrir, pídele al operador que busque la causa en el registro o aumente POSTHORN_WHATSAPP_WORKER_MEMORY_MB.',
      quarantined:
        'Más de una vez terminaron procesos mientras trabajaban para esta cuenta; por eso está separada de las demás. Posthorn lo intenta de nuevo con un proceso solo para ella, cada vez tras una pausa más larga. Avisa al operador.',
      quarantine_over:
        'Durante una hora no ocurrió nada mientras la cuenta estuvo separada. Posthorn se vuelve a conectar.',
      library_missing:
        'La biblioteca de esta red no está instalada en el servidor. Pídele al operador que instale las dependencias opcionales de Posthorn.',
    },
    errors: {
      recipient_not_on_network:
        'El número no tiene cuenta en esta red. Verifícalo: muchos envíos a números sin cuenta llevan a restricciones.',
      recipient_refused:
        'La red no deja que esta cuenta escriba al destinatario, que quizá no la conozca. Espera a que escriba.',
      reach_out_restricted:
        'La red no deja que la cuenta les escriba a contactos nuevos por un tiempo, porque ya les escribió a muchos.',
      new_chats_limit: 'La cuenta ya escribió a todos los contactos nuevos que la red permite por un tiempo.',
      group_admin_required:
        'Solo los administradores del grupo pueden hacerlo, y la cuenta no lo es o no está en el grupo. Pídele a un administrador que la nombre.',
      group_subject_refused:
        'La red no acepta este nombre de grupo. Elige otro, de 100 caracteres como máximo.',
      group_description_refused:
        'La red no acepta esta descripción de grupo. Elige otra, de 2048 caracteres como máximo.',
      group_description_changed:
        'Alguien cambió la descripción del grupo al mismo tiempo. Consulta el grupo y vuelve a cambiarla si hace falta.',
      group_invitation_invalid:
        'La invitación no lleva a ningún grupo: es incorrecta, se renovó o no es para esta cuenta. Pídele otro enlace a un administrador.',
      group_approval_needed: 'Un administrador del grupo debe aprobarlo antes. La red ya le avisó.',
      group_is_community:
        'Es una comunidad, o sus avisos, y no un grupo. Usa uno de los grupos de la comunidad.',
      member_invitation_needed:
        'La persona no deja que esta cuenta la agregue a grupos. Envíale el enlace del grupo.',
      member_left_lately:
        'La persona salió del grupo hace poco y todavía no se puede agregar. Envíale el enlace del grupo.',
      member_already: 'La persona ya está en el grupo.',
      member_missing: 'La persona no está en el grupo.',
      member_refused: 'La red rechazó el cambio de este miembro. No se puede quitar a quien creó el grupo.',
      question_refused: 'La red rechazó la solicitud. Si no tiene nada inusual, avisa al operador.',
    },
    restrictions: {
      reach_out_restricted:
        'La red no deja que la cuenta les escriba a contactos nuevos, porque ya les escribió a muchos. Todavía se puede responder a quien le escribió a la cuenta.',
      temporarily_banned:
        'La red suspendió la cuenta por un tiempo. Inicia la instancia solo cuando acabe la suspensión: cada intento anterior lo empeora.',
      new_chats_limit_near:
        'La cuenta ya escribió a casi todos los contactos nuevos que la red permite. Escribe a contactos nuevos más despacio.',
      new_chats_limit:
        'La cuenta ya escribió a todos los contactos nuevos que la red permite. Todavía se puede responder a quien le escribió a la cuenta.',
    },
    faults: {
      proxy_invalid: 'El proxy no es válido.',
      proxy_missing:
        'No hay ningún proxy configurado. Indica uno en la configuración o deja este campo vacío.',
      proxy_login_incomplete: 'Indica el usuario y la contraseña del proxy, o ninguno de los dos.',
    },
  },
  'link-page': {
    app: 'WhatsApp',
    guide: {
      open: 'Abre WhatsApp en el teléfono de esta cuenta.',
      menu: {
        android: 'Toca *Más opciones* (⋮).',
        iphone: 'Toca *Configuración*.',
        any: 'En Android, toca *Más opciones* (⋮); en iPhone, *Configuración*.',
      },
      devices: 'Toca *Dispositivos vinculados* y después *Vincular un dispositivo*.',
      scan: 'Apunta el teléfono a esta pantalla para escanear el código.',
      type: 'Toca *Vincular con el número de teléfono* e introduce el código.',
      notification:
        'Si WhatsApp muestra una notificación para vincular un dispositivo, también puedes tocarla e introducir el código.',
      undo: 'En WhatsApp, en *Dispositivos vinculados*, toca este dispositivo y después *Cerrar sesión*. Termina de inmediato.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Un número comercial de WhatsApp, mediante la API alojada por Meta. Los destinatarios son números de teléfono con el código de país, como `+52 55 1234 5678`.',
    card: {
      name: 'WhatsApp Cloud API',
      what: 'Un número comercial, mediante la API oficial alojada por Meta.',
    },
    labels: {
      phone_number_id: 'ID del número de teléfono',
      business_account_id: 'ID de la cuenta comercial',
      api_version: 'Versión de la API',
      access_token: 'Token de acceso',
      app_secret: 'Secreto de la app',
      verify_token: 'Token de verificación',
    },
    hints: {
      phone_number_id:
        'El ID del número comercial, en “API Setup” de la app en Meta. No es el número de teléfono en sí.',
      business_account_id:
        'El ID de la cuenta de WhatsApp Business a la que pertenece el número. Con él se pueden mostrar sus plantillas.',
      api_version: 'La versión de la Graph API. Meta mantiene cada una unos dos años.',
      access_token:
        'Un token de un usuario del sistema con los permisos `whatsapp_business_messaging` y `whatsapp_business_management`.',
      app_secret:
        'El secreto de tu app, con el que Meta firma sus callbacks y con el que se prueba que cada solicitud viene de la app. Déjalo vacío, junto con el token de verificación, para usar la app del operador, si el servidor tiene una.',
      verify_token: 'Una palabra que eliges tú. Indica la misma en Meta con la URL de callback.',
    },
    reasons: {
      missing_permission:
        'Al token de acceso le falta un permiso. Dale al usuario del sistema los permisos whatsapp_business_messaging y whatsapp_business_management, crea otro token y reemplaza las credenciales.',
      proof_refused:
        'Meta no aceptó la prueba con el secreto de la app: el token de acceso es de otra app. Indica el secreto de la app para la que se creó el token, o un token de esta app.',
      number_unknown:
        'Meta no conoce ningún número con este ID que el token pueda usar. Verifica el ID y que el número esté asignado al usuario del sistema.',
      business_account_unknown:
        'Meta no conoce ninguna cuenta comercial con este ID que el token pueda usar. Verifica el ID y que la cuenta esté asignada al usuario del sistema.',
      number_not_registered: 'El número no está registrado en la Cloud API. Regístralo en Meta.',
      account_deleted:
        'La cuenta comercial se eliminó en Meta. Crea otra en Meta y luego una instancia para su número.',
      partner_removed:
        'La empresa ya no comparte su cuenta con la app, y Meta no deja que el token use el número. Pide a la empresa que la comparta de nuevo e inicia la instancia.',
      version_refused:
        'Meta ya no ofrece, o todavía no ofrece, esta versión de la API. Indica otra versión, o ninguna, en la configuración de la instancia.',
      app_missing:
        'La instancia no tiene app propia, y este servidor ya no tiene una que pueda usar. Consulta al operador o dale a la instancia una app propia.',
      account_blocked:
        'Meta bloqueó la cuenta por un tiempo porque infringió una política. Consulta el motivo en el Centro de ayuda para empresas de Meta.',
      question_refused: 'Meta se negó a decir cuál es el número.',
      not_cloud_api:
        'La respuesta no vino de la Cloud API. Si el problema persiste, pídele al operador que verifique la dirección configurada y los proxies intermedios.',
    },
    errors: {
      recipient_is_sender: 'El mensaje va dirigido al mismo número que lo envía.',
      recipient_not_allowed:
        'Un número de prueba solo puede escribir a los números de su lista. Agrega al destinatario a la lista en Meta.',
      recipient_limit_reached:
        'La red limita los mensajes de marketing que recibe la persona y no entregó este. No envíes otro durante al menos un día.',
      recipient_in_experiment:
        'La red no entregó el mensaje porque la persona participa en un experimento de Meta.',
      recipient_changed: 'La identidad de la persona cambió. Asegúrate de que sigue siendo la misma persona.',
      user_id_not_supported:
        'La red no acepta un ID de usuario para este mensaje. Usa el número de teléfono de la persona.',
      group_unusable:
        'Meta no conoce este grupo para el número, lo suspendió, o no queda nadie más en él. Revisa el grupo.',
      country_restricted: 'La cuenta comercial no puede escribir a personas de este país.',
      message_invalid: 'La red no acepta un parámetro del mensaje.',
      message_type_not_supported: 'La red no admite este tipo de mensaje.',
      file_type_not_supported:
        'La red no acepta este tipo de archivo como este tipo de mensaje. Convierte el archivo.',
      sticker_too_large: 'Un sticker que no se mueve puede tener como máximo 100 KB en WhatsApp. Redúcelo.',
      file_refused: 'La red no pudo usar el archivo. Verifica el tipo y el tamaño.',
      templates_refused:
        'Meta no dijo qué plantillas tiene la cuenta comercial. Verifica el ID de la cuenta y los permisos del token.',
      recipient_rate_limited:
        'Este número envió demasiados mensajes a esta persona en poco tiempo. El mensaje se enviará en breve.',
      number_rate_limited:
        'El número envía más mensajes por segundo de los que permite la red. El mensaje se enviará en unos segundos.',
      account_rate_limited:
        'La app o la cuenta comercial hizo demasiadas solicitudes. El mensaje se enviará en unos minutos.',
      flow_rate_limited:
        'El flujo de la plantilla ya se envió diez veces en una hora: Meta no permite más mientras falle a menudo. El mensaje se enviará pasada una hora.',
      group_rate_limited:
        'Este número hizo demasiadas cosas en grupos en poco tiempo. El mensaje se enviará más tarde.',
      refused_for_now: 'Meta rechazó el mensaje y dijo que la causa pasará. El mensaje se enviará más tarde.',
      spam_limit:
        'La red restringe el número porque se bloquearon o denunciaron demasiados de sus mensajes. No se envía nada durante una hora.',
      policy_block:
        'La red bloqueó la cuenta por un tiempo porque infringió una política. No se envía nada durante una hora.',
      messaging_limit: 'La cuenta alcanzó el número de personas a las que puede escribir primero.',
      payment_problem:
        'La red no envía por un problema con el pago de la cuenta comercial. Verifica la forma de pago en Meta.',
      number_not_ready: 'El nombre visible o el certificado del número no está aprobado.',
      number_in_maintenance: 'El número está en mantenimiento.',
      number_refused: 'La red no deja enviar al número. El estado de la instancia dice por qué.',
      groups_not_available:
        'Meta no permite grupos a este número. Los grupos son para cuentas comerciales oficiales y números que solo usan la Cloud API.',
      group_limit_reached:
        'El número creó tantos grupos como permite Meta (10.000). Elimina grupos que ya no hagan falta.',
      group_creation_paused:
        'Meta no deja crear grupos por ahora a la cuenta comercial, porque envió demasiado marketing. Envía menos durante una semana e inténtalo de nuevo.',
      group_suspended: 'Meta suspendió el grupo porque infringe una política. Consulta el motivo en Meta.',
      group_changes_limited:
        'Meta no lo hace por ahora, porque se pidió demasiado o su servicio no está disponible. Inténtalo en unos minutos.',
      group_member_missing: 'La persona no es miembro del grupo.',
      group_members_too_many: 'Meta quita como máximo ocho miembros a la vez. Haz varias solicitudes.',
      group_place_expired: 'Meta ya no conoce este lugar de la lista de grupos. Empieza la lista de nuevo.',
      groups_refused:
        'Meta no deja que el token de acceso haga esto con grupos. Verifica el estado de la instancia y los permisos del token.',
      group_change_refused:
        'Meta rechazó hacer esto con el grupo. Busca el código en la lista de errores de la Groups API.',
      not_cloud_api: 'La respuesta no vino de la Cloud API.',
    },
    notices: {
      held_for_quality_assessment:
        'La red aceptó el mensaje, pero lo retiene para ver cómo recibe la gente otros iguales.',
    },
    restrictions: {
      spam_limit:
        'Meta restringe el número porque se bloquearon o denunciaron demasiados de sus mensajes. Verifica la calidad del número en Meta.',
      policy_block:
        'Meta bloqueó la cuenta por un tiempo porque infringió una política. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
      messaging_limit:
        'La cuenta alcanzó el número de personas a las que puede escribir primero. Meta amplía el límite de las cuentas con buena calidad.',
      payment_problem:
        'Meta no envía por un problema con el pago de la cuenta comercial. Verifica la forma de pago en Meta. No se envía nada durante diez minutos.',
      number_not_ready:
        'El nombre visible o el certificado del número no está aprobado. Verifica el número en el Administrador de WhatsApp. No se envía nada durante diez minutos.',
      account_deleted:
        'Meta dice que la cuenta comercial se eliminó. No se envía nada durante un día. Si la cuenta aún existe, consulta a Meta.',
      partner_removed:
        'Meta dice que la empresa ya no comparte su cuenta con un socio, que puede ser la app de esta instancia. Mientras Meta acepte el token, no hay que hacer nada.',
      account_restricted:
        'Meta restringe lo que la cuenta comercial puede hacer, porque infringió una política. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
      account_disabled:
        'Meta desactivó la cuenta comercial porque infringió una política. Pide una revisión en la ayuda para empresas de Meta (Business Support Home).',
      account_disabled_soon:
        'Meta va a desactivar la cuenta comercial porque infringió una política. Pide una revisión en la ayuda para empresas de Meta (Business Support Home).',
      account_violation:
        'La cuenta comercial infringió una política de Meta. Averigua cuál y elimina la causa: nuevas infracciones llevan a restricciones.',
      account_not_approved:
        'Meta revisó la cuenta comercial y aún no la ha aprobado. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
      account_offboarded:
        'Meta desconectó el número de la API porque la app se pasó a otro teléfono o se registró de nuevo. Lo vuelve a conectar si el dueño del teléfono está de acuerdo.',
      quality_low:
        'La gente bloquea o denuncia mensajes del número, y Meta califica su calidad como baja. Envía solo lo que la gente espera.',
    },
    faults: {
      ids_equal: 'El número y la cuenta comercial tienen ID distintos. Meta muestra ambos en “API Setup”.',
      app_secret_missing: 'También hace falta el secreto de la app.',
      verify_token_missing: 'También hace falta el token de verificación.',
      verify_token_not_separate:
        'El token de verificación forma parte de una URL. Elige una palabra que no sea un secreto de la app.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

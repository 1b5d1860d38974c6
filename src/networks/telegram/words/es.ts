import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Un bot de Telegram. Crea uno con [@BotFather](https://t.me/botfather) e indica su token. No hace falta una dirección pública. La persona tiene que escribir primero al bot.',
    card: {
      name: 'Telegram',
      what: 'Un bot al que las personas escriben primero.',
    },
    labels: {
      updates: 'Actualizaciones',
      token: 'Token',
    },
    hints: {
      updates:
        'Cómo llegan los mensajes. `polling`: Posthorn los pide a Telegram, sin dirección pública. `callback`: Telegram los envía a la URL de callback de la instancia; el servidor debe ser accesible desde internet.',
      token: 'El token del bot, de [@BotFather](https://t.me/botfather). Quien lo tiene controla el bot.',
    },
    reasons: {
      callback_url_missing:
        'El operador no definió la URL en la que la red accede a este servidor. Pídele que defina POSTHORN_BASE_URL.',
      callback_url_refused:
        'La red no acepta la URL de callback de la instancia. Pídele al operador que verifique POSTHORN_BASE_URL: debe ser accesible desde internet por HTTPS.',
      webhook_set:
        'Hay un webhook definido para el bot, y los mensajes van allí. Si nada más lo necesita, quítalo (método deleteWebhook).',
      not_telegram:
        'La respuesta no vino de la red. Si el problema persiste, pídele al operador que verifique la dirección configurada y los proxies intermedios.',
      update_too_large:
        'La red tiene para el bot una actualización demasiado grande para leerla. Se descarta al cabo de un día.',
      messages_not_kept: 'Posthorn no pudo guardar mensajes recibidos. Se reconecta y los busca de nuevo.',
    },
    errors: {
      recipient_not_started: 'La persona nunca le escribió al bot. Pídele que abra el chat y toque Iniciar.',
      recipient_blocked: 'La persona bloqueó el bot.',
      bot_removed:
        'El bot no está en ese grupo o canal, o lo eliminaron de ahí. Pídele a un administrador que lo agregue.',
      voice_not_accepted: 'La persona no acepta notas de voz. Envíala como audio, sin `voice`.',
      topic_unknown: 'El grupo no tiene ese tema. Indica el `topic.id` de un mensaje que esté en él.',
      topic_closed: 'El tema del grupo está cerrado. Pide a un administrador que lo abra.',
      target_unknown:
        'La red ya no tiene el mensaje al que este se refiere, o no es un mensaje al que un bot pueda referirse, como un toque en un botón. Envía uno nuevo que no se refiera a él.',
      reaction_not_allowed:
        'La red no permite este emoji como reacción, o no en este chat. Elige uno que la app muestre como reacción, como 👍 o ❤.',
      url_not_accepted: 'La red no acepta la URL del botón. Indica la de una página en internet.',
      content_not_representable:
        'La red no puede mostrar este lugar o estas personas. Indica el nombre y la dirección de un lugar, o ninguno; y envía una persona por mensaje, con un número de teléfono.',
      right_missing:
        'El bot no es administrador del grupo, o no tiene derecho a hacer esto. Pídele a un administrador que se lo dé. A los administradores que otros nombraron solo pueden cambiarlos ellos.',
      member_unknown:
        'La persona no está en el grupo, o el bot no la conoce. Verifica la dirección. Las personas entran por un enlace de invitación.',
      member_protected:
        'Al dueño de un grupo y a sus administradores no se les puede quitar, y el bot no puede ascenderse a sí mismo. Degrada antes a un administrador; el dueño se queda.',
      supergroup_needed:
        'El grupo es básico, y en él un bot no puede hacer esto. Pídele a un administrador que lo convierta en supergrupo, por ejemplo mostrando el historial a los nuevos miembros.',
      group_refused: 'La red no aceptó hacer esto con el grupo.',
      asked_too_often: 'La red limita cuántas preguntas puede hacer el bot. Espera un minuto.',
      text_too_long: 'El texto o la leyenda supera la longitud que permite la red.',
      text_empty: 'El texto solo contiene espacios.',
      answer_unusable: 'La respuesta no vino de la red.',
    },
    notices: {
      recipient_moved:
        'El grupo tiene una nueva dirección, y el mensaje se envió allí. Úsala de ahora en adelante.',
    },
    restrictions: {
      callbacks_failing:
        'La red no pudo entregar mensajes en la URL de callback de la instancia. El envío continúa. Pídele al operador que verifique que la red llega a este servidor.',
    },
    faults: {
      callbacks_impossible: 'La red no puede enviar callbacks a este servidor.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

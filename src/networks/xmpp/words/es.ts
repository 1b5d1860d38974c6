import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Una cuenta en cualquier servidor XMPP, propio o ajeno. Los destinatarios son direcciones como `ana@example.org`.',
    card: {
      name: 'XMPP',
      what: 'Una cuenta en cualquier servidor, propio o ajeno.',
    },
    labels: {
      address: 'Dirección',
      service: 'Servidor',
      register: 'Registrar',
      allow_plaintext: 'Permitir sin cifrado',
      password: 'Contraseña',
    },
    hints: {
      address: 'La cuenta con la que iniciar sesión: una dirección XMPP (JID) sin recurso.',
      service:
        'Dónde atiende el servidor, si el DNS no lo dice: `xmpp://host:puerto` (STARTTLS) o `xmpps://host:puerto` (TLS desde el primer byte).',
      register:
        'Crea la cuenta en el servidor si aún no existe. Una cuenta creada así se borra allí cuando se elimina la instancia.',
      allow_plaintext:
        'Conecta sin cifrado a un servidor de esta máquina. Solo se permite con `localhost` o una dirección de loopback.',
      password:
        'La contraseña de la cuenta. Puede quedar vacía si la cuenta se registra: entonces se crea y se guarda una aleatoria.',
    },
    reasons: {
      server_not_found:
        'No se encontró en el DNS ningún servidor para la dirección. Verifica el dominio de la dirección o indica el servidor en la configuración.',
      connection_failed: 'La conexión falló.',
      connection_closed: 'El servidor cerró la conexión.',
      connect_timeout:
        'El servidor no completó el inicio de sesión a tiempo. Si el problema persiste, consulta a su operador.',
      not_xmpp: 'El servidor no respondió como un servidor de esta red. Verifica el host y el puerto.',
      certificate_not_trusted:
        'Posthorn no confía en el certificado del servidor. Necesita un certificado válido para el dominio de la dirección.',
      login_too_long: 'El servidor envió demasiados datos antes de completar el inicio de sesión.',
      encryption_required:
        'El servidor no ofrece cifrado, y Posthorn no envía nada sin él. Actívalo en el servidor.',
      not_authorized:
        'El servidor rechazó la dirección o la contraseña. Indica la contraseña correcta en “Reemplazar credenciales”.',
      password_missing: 'No hay contraseña para iniciar sesión. Indica una en “Reemplazar credenciales”.',
      credentials_expired: 'La contraseña expiró. Indica la nueva en “Reemplazar credenciales”.',
      account_disabled: 'El servidor desactivó la cuenta. Pide que la vuelvan a activar allí.',
      address_taken:
        'La cuenta no se pudo registrar porque ya existe, y no se conoce su contraseña. Indica la contraseña o crea la instancia con otra dirección.',
      no_common_mechanism:
        'El servidor y Posthorn no tienen ningún método de autenticación en común. Activa SCRAM-SHA-256, SCRAM-SHA-1 o PLAIN en el servidor.',
      login_needs_encryption: 'El servidor no acepta contraseñas en esta conexión sin cifrar.',
      temporary_auth_failure: 'El servidor no puede verificar contraseñas en este momento.',
      authentication_failed:
        'El inicio de sesión falló. Si el problema persiste, consulta al operador del servidor.',
      login_too_costly:
        'El servidor exige más de 100 000 iteraciones de SCRAM. Haz que exija menos, por ejemplo 10 000.',
      login_too_weak:
        'El servidor exige muy pocas iteraciones de SCRAM, y la contraseña sería demasiado fácil de adivinar. Haz que exija al menos 4096.',
      server_not_trusted:
        'El servidor no pudo demostrar que conoce la cuenta. No se envía nada hasta que pueda.',
      no_resource: 'El servidor no asignó un recurso a la conexión.',
      registration_deferred: 'El servidor no registra cuentas en este momento.',
      registration_not_offered:
        'El servidor no ofrece registrar cuentas. Crea allí la cuenta y después la instancia con la contraseña, sin “Registrar”.',
      registration_needs_a_person:
        'Para registrar, el servidor pide más que un nombre y una contraseña. Registra tú la cuenta y crea la instancia con la contraseña, sin “Registrar”.',
      registration_refused:
        'El servidor rechazó registrar la cuenta. Crea allí la cuenta y después la instancia con la contraseña, sin “Registrar”.',
      acknowledgement_timeout: 'El servidor no confirmó un mensaje a tiempo.',
      acknowledgement_out_of_range: 'El servidor confirmó algo que nunca se envió.',
      connection_timeout: 'El servidor pasó demasiado tiempo sin recibir nada de Posthorn.',
      session_ended: 'El servidor cerró la sesión.',
      stream_closed: 'El servidor cerró el flujo.',
      stream_rejected: 'El servidor rechazó el flujo. Si el problema persiste, consulta a su operador.',
      stream_malformed: 'El servidor envió XML no válido.',
      stanza_too_large: 'El servidor envió un elemento demasiado grande.',
      answers_not_taken: 'El servidor no lee lo que Posthorn envía.',
      policy_violation:
        'Algo que Posthorn envió infringe una regla del servidor. Si el problema persiste, consulta a su operador.',
      redirected:
        'El servidor redirigió la conexión a otro host, y Posthorn no sigue redirecciones. Si ese host es el correcto, indícalo en la configuración de la instancia.',
      domain_not_served:
        'El servidor no atiende el dominio de la dirección. Verifica el dominio y el servidor en la configuración.',
      server_shutdown: 'El servidor se está apagando o pidió una nueva conexión.',
      server_busy: 'El servidor está demasiado ocupado para la conexión en este momento.',
    },
    errors: {
      recipient_unavailable:
        'El destinatario no existe, o está desconectado y su servidor no guarda mensajes.',
      recipient_moved: 'El destinatario tiene ahora otra dirección. Pídele la nueva.',
      address_malformed: 'Un servidor intermedio no aceptó la dirección del destinatario.',
      remote_server_not_found:
        'No se encontró el servidor del destinatario. Verifica el dominio de la dirección.',
      remote_server_timeout: 'El servidor del destinatario no respondió a tiempo.',
      not_authorized: 'La cuenta necesita permiso para escribir a este destinatario.',
      not_acceptable: 'El lado del destinatario no aceptó el mensaje.',
      not_supported: 'El lado del destinatario no admite mensajes de este tipo.',
      policy_violation: 'El mensaje infringe una regla de un servidor intermedio.',
      target_without_id:
        'La aplicación que escribió el otro mensaje no le dio un identificador, y sin él XMPP no puede referirse a ese mensaje. Envía un texto sin `reply_to`.',
      caption_missing:
        'El archivo se envió sin leyenda, y XMPP no puede añadirla después. Envía las palabras como texto que responda al archivo.',
      conflict: 'Un servidor intermedio señaló un conflicto entre este mensaje y otro.',
      undefined_condition: 'El mensaje se rechazó por un motivo desconocido.',
      upload_unavailable:
        'El servidor de la cuenta no tiene servicio de subida de archivos. Consulta a su operador o envía un texto con un enlace.',
      upload_address_not_allowed:
        'El servidor de la cuenta quiere recibir el archivo en una dirección a la que el operador no deja conectarse a las instancias (POSTHORN_CONNECT_ALLOW_CIDRS).',
      upload_slot_unusable:
        'El servidor de la cuenta no ofreció una URL de subida que Posthorn pueda usar. Consulta a su operador.',
      upload_deferred: 'El servidor de la cuenta no acepta archivos en este momento.',
      upload_timeout: 'El archivo no se subió a tiempo.',
      not_in_room: 'La cuenta no está en esta sala. Vuelve a entrar en ella.',
      recipient_is_room:
        'La dirección es la de una sala y está escrita como la de una persona. Escríbela como `room@rooms.example.org?join`.',
      room_not_found: 'No hay ninguna sala en esta dirección. Verifica la dirección.',
      room_members_only:
        'Solo los miembros pueden entrar en esta sala. Pide a un administrador de la sala que añada la cuenta.',
      room_forbidden: 'La sala no permite que la cuenta haga eso. Consulta a un administrador de la sala.',
      room_password:
        'La sala pide una contraseña, y Posthorn no tiene contraseñas para salas. Pide a un administrador que la quite o que haga miembro a la cuenta.',
      room_full: 'La sala no deja entrar a más personas en este momento.',
      room_nick_taken: 'El nombre de la cuenta ya está en uso en esta sala, y otros parecidos también.',
      room_silent: 'La sala no respondió a tiempo.',
      room_refused: 'La sala rechazó la solicitud. Consulta a un administrador de la sala.',
      rooms_unavailable:
        'El servidor de la cuenta no tiene servicio de salas. Pide a su operador que lo añada o entra en una sala de otro servidor.',
      too_many_rooms: 'La cuenta está en todas las salas que Posthorn permite: 200. Sal antes de una sala.',
      invite_link_fixed:
        'El enlace a una sala es su dirección, así que no se puede reemplazar. Quita miembros o crea otra sala.',
      picture_too_large:
        'La foto es más grande de lo que Posthorn lee por XMPP: unos 190 kB. Pídela a la persona como archivo.',
    },
    faults: {
      password_required: 'Hace falta una contraseña, salvo que la cuenta se vaya a registrar.',
      plaintext_not_local:
        'Sin cifrado solo se permiten conexiones a un servidor de esta máquina (localhost o una dirección de loopback).',
      service_invalid: 'El formato del servidor no es correcto.',
      address_invalid: 'La dirección no es válida.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

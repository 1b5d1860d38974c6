/** Why a message waits or was given up: the errors of the contract, and those that several networks have in common. */
export const errors = {
  recipient_unknown: 'El destinatario no existe en esta red. Verifica la dirección.',
  recipient_gone: 'La dirección del destinatario ya no se usa. Pídele otra.',
  not_allowed: 'La cuenta no puede escribir a este destinatario. Pídele permiso a él o a un administrador.',
  recipient_unreachable: 'La red no puede entregar a esta persona.',
  message_refused: 'La red rechazó el mensaje. Cámbialo o elige otro destinatario.',
  template_unknown: 'La cuenta no tiene ninguna plantilla aprobada con este nombre en este idioma.',
  template_parameters_wrong:
    'Los componentes no encajan con la plantilla: sobran o faltan parámetros, o son de otro tipo.',
  template_too_long: 'Con estos parámetros, el texto de la plantilla es demasiado largo.',
  template_policy: 'Con estos parámetros, el texto de la plantilla infringe una política de la red.',
  template_paused: 'La red pausó la plantilla porque a los destinatarios no les gustó lo que recibieron.',
  template_disabled: 'La red desactivó la plantilla.',
  template_refused: 'La red se negó a enviar un mensaje a partir de esta plantilla.',
  file_unreadable: 'El archivo guardado no se pudo leer. Si el problema persiste, avisa al operador.',
  file_missing: 'El archivo guardado ya no existe o está incompleto. Envíalo de nuevo y avisa al operador.',
  file_altered: 'El archivo guardado ya no es igual al que se aceptó. Envíalo de nuevo y avisa al operador.',
  text_not_representable:
    'El texto, la leyenda o el nombre del archivo contiene un carácter que la red no transmite.',
  file_too_large: 'El archivo es mayor de lo que acepta la red. Envía uno más pequeño.',
  file_empty: 'La red no acepta archivos vacíos.',
  rate_limited: 'La red limita cuántos mensajes se pueden enviar en este momento.',
  not_connected: 'La instancia no estaba conectada.',
  network_unreachable: 'No se podía acceder a la red.',
  upload_interrupted: 'La conexión terminó antes de que se enviara el archivo entero.',
  token_refused: 'La red rechazó el token de acceso, o a este le falta un permiso.',
  caption_not_supported:
    'La red no admite leyendas en los audios ni en los stickers. Envía la leyenda como texto.',
  server_error: 'El servidor de la red falló y no aceptó el mensaje.',
  upload_failed: 'El archivo no se pudo subir a la red, y no llegó nada al destinatario.',
  upload_refused: 'La red rechazó el archivo, y no se envió nada.',
  message_malformed: 'La red no entendió el mensaje. Envía uno nuevo; si vuelve a fallar, avisa al operador.',
  media_unreachable: 'No se pudo descargar el archivo. Verifica la URL.',
  media_timeout: 'La descarga del archivo tardó demasiado. Envíalo desde este equipo.',
  media_refused:
    'Posthorn no puede descargar nada de esta URL. Indica otra o envía el archivo desde este equipo.',
  media_not_kept:
    'El archivo se recibió, pero no se pudo guardar. Si el problema persiste, avisa al operador.',
  files_quota_exceeded: 'El archivo superaría la cuota de archivos de la organización. Libera espacio.',
  media_too_large: 'El archivo es demasiado grande. Envía uno más pequeño.',
  media_type_mismatch:
    'El contenido del archivo no corresponde al tipo con que se envió. Envíalo como documento.',
  voice_too_long:
    'El audio es demasiado largo para una nota de voz. Envía uno más corto o envíalo como audio normal.',
  voice_queue_full:
    'Hay demasiadas notas de voz esperando su conversión. Inténtalo más tarde o envía OGG con Opus.',
  voice_not_convertible: 'El audio no se pudo convertir en nota de voz. Envía OGG con Opus.',
  outside_reply_window:
    'El destinatario escribió hace demasiado tiempo, y la red solo permite responder durante un plazo. Envía una plantilla, si la red las tiene, o espera a que vuelva a escribir.',
  recipient_opted_out:
    'El destinatario no quiere publicidad, y la plantilla es publicitaria o no se conoce su categoría. No le envíes publicidad; si la plantilla no lo es, indica su categoría.',
  target_not_sent:
    'El mensaje al que se refiere no se envió o ya no se conserva. Envía uno nuevo que no se refiera a él.',
  group_full: 'El grupo tiene tantos miembros como permite la red. Quita antes a alguno.',
  not_in_group:
    'Ese grupo no existe, o la cuenta no está en él o no puede escribir en él. Pídele a un administrador del grupo que la agregue.',
  join_request_missing:
    'La persona no pide entrar en el grupo: la solicitud ya se respondió o se retiró. Consulta las solicitudes.',
  edit_window_over:
    'El mensaje se envió hace demasiado tiempo: la red solo lo permite durante un plazo. Envía un mensaje nuevo.',
  held_after_restore:
    'El servidor se restauró desde una copia de seguridad en la que el envío del mensaje no había concluido. Puede haberse enviado después de la copia; el operador decide si se envía.',
} as const

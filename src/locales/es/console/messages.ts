export const messages = {
  accepted: 'Aceptado',
  again: 'Enviar otra vez como nuevo',
  aliases: 'Otras direcciones',
  answer: 'Responder',
  attempt_accepted: 'Intento {number}: aceptado por la red',
  attempt_deferred: 'Intento {number}: aplazado por la red',
  attempt_rejected: 'Intento {number}: rechazado por la red',
  attempt_uncertain: 'Intento {number}: sin respuesta, puede haber llegado',
  attempt_underway: 'Intento {number}: en curso',
  cancel_all: 'Cancelar todos los filtrados',
  cancel_all_what:
    'Se cancelan todos los mensajes en cola que coinciden con los filtros, aunque no se muestren aquí. No se enviará ninguno.',
  cancel_what: 'No se enviará. Un mensaje cuyo intento está en curso ya no se puede cancelar.',
  canceled_all: {
    one: 'Se canceló {count} mensaje.',
    other: 'Se cancelaron {count} mensajes.',
  },
  canceled_so_far: {
    one: '{count} cancelado hasta ahora',
    other: '{count} cancelados hasta ahora',
  },
  canceled: 'El mensaje se canceló.',
  digest: 'SHA-256',
  do_not_cancel: 'No cancelar',
  earlier_attempts: {
    one: 'Mostrar {count} intento anterior',
    other: 'Mostrar {count} intentos anteriores',
  },
  empty:
    'Todavía no hay mensajes. Aparecen aquí en cuanto envías uno, o cuando alguien le escribe a una de tus cuentas.',
  expires: 'Expira',
  facts: 'Detalles',
  id: 'ID del mensaje',
  mark_read: 'Marcar como leído',
  marked_read: 'Se avisó al remitente de que se leyó.',
  metadata: 'Metadatos',
  network_code: 'Código de la red',
  network_id: 'ID en la red',
  new_messages: {
    one: 'Mostrar {count} mensaje nuevo',
    other: 'Mostrar {count} mensajes nuevos',
  },
  newer_messages: 'Mostrar mensajes más recientes',
  next_attempt: 'Próximo intento',
  next_canceled: 'No se envió ni se enviará. Si se canceló por error, envíalo otra vez como nuevo.',
  next_expired:
    'Su plazo terminó antes de que pudiera enviarse. El destinatario no lo tiene: enviarlo otra vez como nuevo no duplica nada.',
  next_failed:
    'Posthorn no vuelve a intentarlo. Corrige lo que se indica arriba y envíalo otra vez como nuevo.',
  next_queued:
    'Espera su hora, mensajes anteriores al mismo destinatario, la conexión de la instancia o su archivo.',
  next_sending: 'Un intento está en curso, u otro seguirá automáticamente.',
  next_unknown:
    'El destinatario puede tenerlo o no. Pregúntale antes de enviarlo otra vez como nuevo: podría llegar dos veces.',
  notices: 'Enviado con cambios',
  origin: 'Enviado desde',
  origin_elsewhere: 'otra app o dispositivo de la cuenta',
  received: 'Recibido',
  scheduled: 'No antes de',
  search: 'Buscar textos y leyendas',
  sent_by_them: 'Enviado por el remitente',
  timeline: 'Qué pasó',
  title: 'Mensajes',
  one_title: 'Mensaje',
  one_from: 'De {name}',
  one_to: 'Para {name}',
  window_ends: 'Responder libremente hasta',
  person: 'Persona',
  person_hint: 'La dirección de la persona o del grupo, tal como aparece en sus mensajes.',
  again_selected: {
    one: 'Enviar {count} otra vez',
    other: 'Enviar {count} otra vez',
  },
  again_what:
    'Cada uno se envía como un mensaje nuevo con el mismo contenido, la misma referencia y los mismos metadatos. El que estaba programado para un momento futuro lo conserva. Una respuesta deja de referirse a su mensaje.',
  arrived_meanwhile: 'Se envió entretanto, así que no se envía otra vez.',
  cancel_selected: {
    one: 'Cancelar {count} mensaje',
    other: 'Cancelar {count} mensajes',
  },
  cancel_what_selected: 'No se enviarán. Un mensaje cuyo intento está en curso ya no se puede cancelar.',
  do_not_send: 'No enviar',
  may_double: {
    one: 'De {count} no se sabe si el destinatario lo tiene. Pregúntele antes: puede llegar dos veces.',
    other:
      'De {count} no se sabe si los destinatarios los tienen. Pregúnteles antes: pueden llegar dos veces.',
  },
  need_no_repeat: {
    one: '{count} de los seleccionados se omite: se envió, aún espera o no se puede enviar otra vez.',
    other: '{count} de los seleccionados se omiten: se enviaron, aún esperan o no se pueden enviar otra vez.',
  },
  no_longer_wait: {
    one: '{count} de los seleccionados se omite: ya no espera.',
    other: '{count} de los seleccionados se omiten: ya no esperan.',
  },
  nothing_to_do: 'Ninguno espera ni falló.',
  send_those_too: 'Enviar también esos, aunque puedan llegar dos veces',
  sent_again: {
    one: '{count} mensaje se envió otra vez como nuevo.',
    other: '{count} mensajes se enviaron otra vez como nuevos.',
  },
  waiting: 'En espera',
} as const

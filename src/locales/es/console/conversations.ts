export const conversations = {
  actions: 'Qué hacer con: {text}',
  attach: 'Adjuntar un archivo',
  choose: 'Elige una conversación para leerla.',
  details: 'Detalles',
  detach: 'Quitar {name}',
  edit: 'Editar',
  editing: 'Editando',
  empty:
    'Todavía no hay conversaciones. La primera empieza en cuanto le escribes a alguien, o alguien le escribe a una de tus cuentas.',
  empty_thread: 'Todavía no hay mensajes aquí. Escribe el primero.',
  enter_sends: 'Enter envía, Mayús+Enter empieza una línea nueva.',
  mention: 'Mencionar a una persona',
  more_contents: 'Enviar otra cosa',
  newer: {
    one: 'Mostrar {count} mensaje más reciente',
    other: 'Mostrar {count} mensajes más recientes',
  },
  news: {
    one: 'Mostrar {count} conversación nueva',
    other: 'Mostrar {count} conversaciones nuevas',
  },
  older: 'Mostrar mensajes más antiguos',
  other_emoji: 'Otro emoji',
  reactions: 'Reacciones',
  reply: 'Responder',
  retract: 'Eliminar para todos',
  retract_what:
    'Se le pide a la red que elimine el mensaje para todos. Es posible que el destinatario ya lo haya leído. No se puede deshacer.',
  save: 'Guardar',
  send: 'Enviar',
  skip: 'Ir a tu respuesta',
  title: 'Conversaciones',
  unread: {
    one: '{count} sin leer',
    other: '{count} sin leer',
  },
  window_over:
    'El plazo para responder libremente terminó: la red puede rechazar la respuesta. Una plantilla sí se acepta.',
  write: 'Mensaje para {name}',
  you: 'Tú: {text}',
  yourself: 'Tú',
} as const

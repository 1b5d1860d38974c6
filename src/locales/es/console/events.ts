export const events = {
  continue: 'Continuar',
  cursor: 'Reproducir desde un cursor',
  cursor_hint:
    'Un next_cursor del feed o el ID de un evento en un stream. Déjalo vacío para ver solo eventos nuevos.',
  earlier: 'Desde el evento más antiguo',
  empty:
    'Los eventos aparecen aquí en cuanto ocurren: se entrega un mensaje, se conecta una instancia. Envía un mensaje de prueba para ver algunos.',
  event: 'Evento',
  held: {
    one: '{count} evento en espera',
    other: '{count} eventos en espera',
  },
  left_out:
    'Aquí faltan algunos eventos: se cortó la conexión o llegaron más rápido de lo que esta página podía mostrarlos.',
  more: 'Seguir leyendo',
  newest_only: 'Se muestran los {count} más recientes. Los anteriores se pueden reproducir.',
  pause: 'Pausar',
  read_to_here: 'Todavía no hay más eventos.',
  show_left_out: 'Mostrarlos',
  subject: 'Sobre',
  title: 'Eventos',
  type: 'Tipo',
  message: 'Mensaje',
  no_webhook: 'No hay ningún webhook activado al que enviarlo.',
  number: 'Número',
  send: 'Enviar',
  send_again: 'Enviar de nuevo a un webhook',
  show_earlier: 'Mostrar los anteriores',
} as const

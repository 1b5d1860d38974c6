import { phrases } from '../../core/language.ts'

export const say = phrases({
  continue: ['Continue', 'Continuar', 'Continuar'],
  cursor: ['Replay from a cursor', 'Reproduzir a partir de um cursor', 'Reproducir desde un cursor'],
  cursor_hint: [
    'A next_cursor of the feed, or the ID of an event in a stream. Leave it empty to see only new events.',
    'Um next_cursor do feed ou o ID de um evento em um stream. Deixe em branco para ver somente eventos novos.',
    'Un next_cursor del feed o el ID de un evento en un stream. Déjalo vacío para ver solo eventos nuevos.',
  ],
  earlier: ['From the oldest event kept', 'Desde o evento mais antigo', 'Desde el evento más antiguo'],
  empty: [
    'Events appear here as they happen: a message is delivered, an instance connects. Send a test message to see some.',
    'Os eventos aparecem aqui assim que acontecem: uma mensagem é entregue, uma instância se conecta. Envie uma mensagem de teste para ver alguns.',
    'Los eventos aparecen aquí en cuanto ocurren: se entrega un mensaje, se conecta una instancia. Envía un mensaje de prueba para ver algunos.',
  ],
  event: ['Event', 'Evento', 'Evento'],
  held: [
    { one: '{count} waiting event', other: '{count} waiting events' },
    { one: '{count} evento em espera', other: '{count} eventos em espera' },
    { one: '{count} evento en espera', other: '{count} eventos en espera' },
  ],
  left_out: [
    'Some events were left out here: the connection broke off, or they came faster than this page could show them.',
    'Alguns eventos ficaram de fora aqui: a conexão caiu ou eles chegaram mais rápido do que esta página conseguiu mostrar.',
    'Aquí faltan algunos eventos: se cortó la conexión o llegaron más rápido de lo que esta página podía mostrarlos.',
  ],
  more: ['Read on', 'Continuar lendo', 'Seguir leyendo'],
  newest_only: [
    'The newest {count} are shown. Older ones can be replayed.',
    'São mostrados os {count} mais recentes. Os anteriores podem ser reproduzidos.',
    'Se muestran los {count} más recientes. Los anteriores se pueden reproducir.',
  ],
  pause: ['Pause', 'Pausar', 'Pausar'],
  read_to_here: [
    'There are no further events yet.',
    'Ainda não há mais eventos.',
    'Todavía no hay más eventos.',
  ],
  show_left_out: ['Show them', 'Mostrar', 'Mostrarlos'],
  subject: ['About', 'Sobre', 'Sobre'],
  title: ['Events', 'Eventos', 'Eventos'],
  type: ['Type', 'Tipo', 'Tipo'],
})

import { phrases } from '../../core/language.ts'

export const say = phrases({
  continue: ['Continue', 'Continuar', 'Continuar'],
  cursor: ['Replay from a cursor', 'Repetir a partir de um cursor', 'Repetir desde un cursor'],
  cursor_hint: [
    'A next_cursor of the feed, or the id of an event of a stream. Empty to see only new events.',
    'Um next_cursor do feed ou o id de um evento de um stream. Vazio para ver somente eventos novos.',
    'Un next_cursor del feed o el id de un evento de un stream. Vacío para ver solo eventos nuevos.',
  ],
  earlier: ['From the oldest event kept', 'Desde o evento mais antigo', 'Desde el evento más antiguo'],
  empty: [
    'Events appear here as they happen: messages that advance, instances that change. Send a test message to see some.',
    'Os eventos aparecem aqui quando acontecem: mensagens que avançam, instâncias que mudam. Envie uma mensagem de teste para ver alguns.',
    'Los eventos aparecen aquí cuando ocurren: mensajes que avanzan, instancias que cambian. Envía un mensaje de prueba para ver algunos.',
  ],
  event: ['Event', 'Evento', 'Evento'],
  held: [
    { one: '{count} event waits', other: '{count} events wait' },
    { one: '{count} evento em espera', other: '{count} eventos em espera' },
    { one: '{count} evento en espera', other: '{count} eventos en espera' },
  ],
  more: ['Read on', 'Ler mais', 'Seguir leyendo'],
  pause: ['Pause', 'Pausar', 'Pausar'],
  read_to_here: [
    'Everything up to now was read.',
    'Tudo até agora foi lido.',
    'Se ha leído todo hasta ahora.',
  ],
  replay: ['Replay', 'Repetir', 'Repetir'],
  subject: ['About', 'Sobre', 'Sobre'],
  tail: ['Live', 'Ao vivo', 'En vivo'],
  title: ['Events', 'Eventos', 'Eventos'],
  type: ['Type', 'Tipo', 'Tipo'],
})

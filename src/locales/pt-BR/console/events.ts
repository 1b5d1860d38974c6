export const events = {
  continue: 'Continuar',
  cursor: 'Reproduzir a partir de um cursor',
  cursor_hint:
    'Um next_cursor do feed ou o ID de um evento em um stream. Deixe em branco para ver somente eventos novos.',
  earlier: 'Desde o evento mais antigo',
  empty:
    'Os eventos aparecem aqui assim que acontecem: uma mensagem é entregue, uma instância se conecta. Envie uma mensagem de teste para ver alguns.',
  event: 'Evento',
  held: {
    one: '{count} evento em espera',
    other: '{count} eventos em espera',
  },
  left_out:
    'Alguns eventos ficaram de fora aqui: a conexão caiu ou eles chegaram mais rápido do que esta página conseguiu mostrar.',
  more: 'Continuar lendo',
  newest_only: 'São mostrados os {count} mais recentes. Os anteriores podem ser reproduzidos.',
  pause: 'Pausar',
  read_to_here: 'Ainda não há mais eventos.',
  show_left_out: 'Mostrar',
  subject: 'Sobre',
  title: 'Eventos',
  type: 'Tipo',
  message: 'Mensagem',
  no_webhook: 'Não há nenhum webhook ativo para receber o evento.',
  number: 'Número',
  send: 'Enviar',
  send_again: 'Enviar de novo a um webhook',
  show_earlier: 'Mostrar anteriores',
} as const

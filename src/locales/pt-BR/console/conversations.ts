export const conversations = {
  actions: 'O que fazer com: {text}',
  attach: 'Anexar um arquivo',
  choose: 'Escolha uma conversa para lê-la.',
  details: 'Detalhes',
  detach: 'Remover {name}',
  edit: 'Editar',
  editing: 'Editando',
  empty:
    'Ainda não há conversas. A primeira começa assim que você escreve para alguém, ou alguém escreve para uma das suas contas.',
  empty_thread: 'Ainda não há mensagens aqui. Escreva a primeira.',
  enter_sends: 'Enter envia, Shift+Enter quebra a linha.',
  mention: 'Mencionar uma pessoa',
  more_contents: 'Enviar outra coisa',
  newer: {
    one: 'Mostrar {count} mensagem mais recente',
    other: 'Mostrar {count} mensagens mais recentes',
  },
  news: {
    one: 'Mostrar {count} conversa nova',
    other: 'Mostrar {count} conversas novas',
  },
  older: 'Mostrar mensagens mais antigas',
  other_emoji: 'Outro emoji',
  reactions: 'Reações',
  reply: 'Responder',
  retract: 'Apagar para todos',
  retract_what:
    'A rede é instruída a remover a mensagem para todos. O destinatário talvez já a tenha lido. Não é possível desfazer.',
  save: 'Salvar',
  send: 'Enviar',
  skip: 'Ir para a sua resposta',
  title: 'Conversas',
  unread: {
    one: '{count} não lida',
    other: '{count} não lidas',
  },
  window_over:
    'O prazo para responder livremente acabou: a rede pode recusar a resposta. Um modelo ainda é aceito.',
  write: 'Mensagem para {name}',
  you: 'Você: {text}',
  yourself: 'Você',
} as const

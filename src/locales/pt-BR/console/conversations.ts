export const conversations = {
  attach: 'Anexar um arquivo',
  choose: 'Escolha uma conversa para lê-la.',
  details: 'Detalhes da mensagem',
  detach: 'Remover {name}',
  empty:
    'Ainda não há conversas. A primeira começa assim que você escreve para alguém, ou alguém escreve para uma das suas contas.',
  empty_thread: 'Ainda não há mensagens aqui. Escreva a primeira.',
  enter_sends: 'Enter envia, Shift+Enter quebra a linha.',
  newer: {
    one: 'Mostrar {count} mensagem mais recente',
    other: 'Mostrar {count} mensagens mais recentes',
  },
  news: {
    one: 'Mostrar {count} conversa nova',
    other: 'Mostrar {count} conversas novas',
  },
  older: 'Mostrar mensagens mais antigas',
  send: 'Enviar',
  skip: 'Ir para a sua resposta',
  title: 'Conversas',
  window_over:
    'O prazo para responder livremente acabou: a rede pode recusar a resposta. Um modelo ainda é aceito.',
  write: 'Mensagem para {name}',
  you: 'Você: {text}',
} as const

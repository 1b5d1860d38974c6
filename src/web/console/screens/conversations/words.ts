import { phrases } from '../../core/language.ts'

export const say = phrases({
  attach: ['Attach a file', 'Anexar um arquivo', 'Adjuntar un archivo'],
  choose: [
    'Choose a conversation to read it.',
    'Escolha uma conversa para lê-la.',
    'Elige una conversación para leerla.',
  ],
  details: ['Details of the message', 'Detalhes da mensagem', 'Detalles del mensaje'],
  detach: ['Remove {name}', 'Remover {name}', 'Quitar {name}'],
  empty: [
    'There is no conversation yet. The first begins as soon as you write to somebody, or somebody writes to one of your accounts.',
    'Ainda não há conversas. A primeira começa assim que você escreve para alguém, ou alguém escreve para uma das suas contas.',
    'Todavía no hay conversaciones. La primera empieza en cuanto le escribes a alguien, o alguien le escribe a una de tus cuentas.',
  ],
  empty_thread: [
    'There is no message here yet. Write the first one.',
    'Ainda não há mensagens aqui. Escreva a primeira.',
    'Todavía no hay mensajes aquí. Escribe el primero.',
  ],
  enter_sends: [
    'Enter sends, Shift+Enter begins a new line.',
    'Enter envia, Shift+Enter quebra a linha.',
    'Enter envía, Mayús+Enter empieza una línea nueva.',
  ],
  newer: [
    { one: 'Show {count} newer message', other: 'Show {count} newer messages' },
    { one: 'Mostrar {count} mensagem mais recente', other: 'Mostrar {count} mensagens mais recentes' },
    { one: 'Mostrar {count} mensaje más reciente', other: 'Mostrar {count} mensajes más recientes' },
  ],
  news: [
    { one: 'Show {count} new conversation', other: 'Show {count} new conversations' },
    { one: 'Mostrar {count} conversa nova', other: 'Mostrar {count} conversas novas' },
    { one: 'Mostrar {count} conversación nueva', other: 'Mostrar {count} conversaciones nuevas' },
  ],
  older: ['Show older messages', 'Mostrar mensagens mais antigas', 'Mostrar mensajes más antiguos'],
  send: ['Send', 'Enviar', 'Enviar'],
  skip: ['Skip to your answer', 'Ir para a sua resposta', 'Ir a tu respuesta'],
  title: ['Conversations', 'Conversas', 'Conversaciones'],
  window_over: [
    'The time to answer freely is over: the network may refuse this. A template still gets through.',
    'O prazo para responder livremente acabou: a rede pode recusar a resposta. Um modelo ainda é aceito.',
    'El plazo para responder libremente terminó: la red puede rechazar la respuesta. Una plantilla sí se acepta.',
  ],
  write: ['Message to {name}', 'Mensagem para {name}', 'Mensaje para {name}'],
  you: ['You: {text}', 'Você: {text}', 'Tú: {text}'],
})

import { phrases } from '../../core/language.ts'

export const say = phrases({
  accepted: ['Accepted', 'Aceita', 'Aceptado'],
  all_well: [
    'All is well: nothing needs your attention.',
    'Tudo certo: nada requer sua atenção.',
    'Todo está bien: nada requiere tu atención.',
  ],
  all_was_well: [
    'When the server answered last, nothing needed your attention.',
    'Quando o servidor respondeu pela última vez, nada requeria sua atenção.',
    'Cuando el servidor respondió por última vez, nada requería tu atención.',
  ],
  and_more: [
    { one: 'and {count} more', other: 'and {count} more' },
    { one: 'e mais {count}', other: 'e mais {count}' },
    { one: 'y {count} más', other: 'y {count} más' },
  ],
  counting: ['Counted {count} so far…', '{count} contadas até agora…', '{count} contadas hasta ahora…'],
  first_create: [
    'Create an instance: a durable connection to a messaging network, for example an account.',
    'Crie uma instância: uma conexão duradoura com uma rede de mensagens, por exemplo uma conta.',
    'Crea una instancia: una conexión duradera con una red de mensajería, por ejemplo una cuenta.',
  ],
  first_send: [
    'Send a test message, and watch it arrive.',
    'Envie uma mensagem de teste e acompanhe a entrega.',
    'Envía un mensaje de prueba y sigue su entrega.',
  ],
  first_steps: ['First steps', 'Primeiros passos', 'Primeros pasos'],
  first_webhook: [
    'Add a webhook, so that your program learns what happens.',
    'Adicione um webhook, para que seu programa saiba o que acontece.',
    'Agrega un webhook, para que tu programa sepa lo que pasa.',
  ],
  for_trying: [
    'The network {network} is for trying things out: nobody gets a message.',
    'A rede {network} serve para testes: ninguém recebe mensagens.',
    'La red {network} sirve para hacer pruebas: nadie recibe mensajes.',
  ],
  go_create: ['New instance', 'Nova instância', 'Nueva instancia'],
  go_send: ['Send a test', 'Enviar um teste', 'Enviar una prueba'],
  go_webhook: ['Webhooks', 'Webhooks', 'Webhooks'],
  instances: ['Instances', 'Instâncias', 'Instancias'],
  needs_you: ['Needs your attention', 'Requer sua atenção', 'Requiere tu atención'],
  nothing_waits: ['No message waits.', 'Nenhuma mensagem em espera.', 'No hay mensajes en espera.'],
  old_queue: [
    'Its oldest message has been waiting since {time}. It may be meant for later.',
    'A mensagem mais antiga dela está em espera desde {time}. Talvez seja para mais tarde.',
    'Su mensaje más antiguo está en espera desde {time}. Quizá sea para más tarde.',
  ],
  oldest: ['Oldest message at', 'Mensagem mais antiga em', 'Mensaje más antiguo en'],
  open_reference: ['API reference', 'Referência da API', 'Referencia de la API'],
  queue: ['Waiting messages', 'Mensagens em espera', 'Mensajes en espera'],
  quota_full: [
    'Almost nothing is left of this quota: {used} of {limit}.',
    'Quase nada resta desta cota: {used} de {limit}.',
    'Casi no queda nada de esta cuota: {used} de {limit}.',
  ],
  still_connecting: [
    {
      one: 'Posthorn is trying to connect {count} instance. Nothing else needs your attention.',
      other: 'Posthorn is trying to connect {count} instances. Nothing else needs your attention.',
    },
    {
      one: 'O Posthorn está tentando conectar {count} instância. Nada mais requer sua atenção.',
      other: 'O Posthorn está tentando conectar {count} instâncias. Nada mais requer sua atenção.',
    },
    {
      one: 'Posthorn está intentando conectar {count} instancia. Nada más requiere tu atención.',
      other: 'Posthorn está intentando conectar {count} instancias. Nada más requiere tu atención.',
    },
  ],
  title: ['Overview', 'Visão geral', 'Resumen'],
  total: [
    { one: '{count} instance', other: '{count} instances' },
    { one: '{count} instância', other: '{count} instâncias' },
    { one: '{count} instancia', other: '{count} instancias' },
  ],
  version: ['Version', 'Versão', 'Versión'],
  webhook: ['Webhook', 'Webhook', 'Webhook'],
  webhook_disabled: [
    'Posthorn disabled it: no events are collected for it.',
    'O Posthorn o desativou: os eventos não são guardados para ele.',
    'Posthorn lo desactivó: no se guardan eventos para él.',
  ],
  webhook_failing: [
    'Deliveries have been failing since {time}.',
    'As entregas estão falhando desde {time}.',
    'Las entregas fallan desde {time}.',
  ],
  webhook_lagging: [
    {
      one: '{count} delivery is waiting: the webhook lags behind.',
      other: '{count} deliveries are waiting: the webhook lags behind.',
    },
    {
      one: '{count} entrega em espera: o webhook está atrasado.',
      other: '{count} entregas em espera: o webhook está atrasado.',
    },
    {
      one: '{count} entrega en espera: el webhook tiene retraso.',
      other: '{count} entregas en espera: el webhook tiene retraso.',
    },
  ],
})

import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Um bot do Telegram. Crie um com o [@BotFather](https://t.me/botfather) e informe o token dele. Não é preciso um endereço público. A pessoa precisa escrever primeiro para o bot.',
    card: {
      name: 'Telegram',
      what: 'Um bot para o qual as pessoas escrevem primeiro.',
    },
    labels: {
      updates: 'Atualizações',
      token: 'Token',
    },
    hints: {
      updates:
        'Como as mensagens chegam. `polling`: o Posthorn as busca no Telegram, sem endereço público. `callback`: o Telegram as envia à URL de callback da instância; o servidor precisa ser acessível da internet.',
      token: 'O token do bot, do [@BotFather](https://t.me/botfather). Quem o tem controla o bot.',
    },
    reasons: {
      callback_url_missing:
        'O operador não definiu a URL pela qual a rede acessa este servidor. Peça que ele defina POSTHORN_BASE_URL.',
      callback_url_refused:
        'A rede não aceita a URL de callback da instância. Peça ao operador que verifique POSTHORN_BASE_URL: a URL precisa ser acessível da internet por HTTPS.',
      webhook_set:
        'Há um webhook definido para o bot, e as mensagens vão para lá. Se nada mais precisar dele, remova-o (método deleteWebhook).',
      not_telegram:
        'A resposta não veio da rede. Se o problema persistir, peça ao operador que verifique o endereço configurado e os proxies no caminho.',
      update_too_large:
        'A rede tem para o bot uma atualização grande demais para ser lida. Ela é descartada depois de um dia.',
      messages_not_kept:
        'O Posthorn não conseguiu guardar mensagens recebidas. Ele se reconecta e as busca de novo.',
    },
    errors: {
      recipient_not_started:
        'A pessoa nunca escreveu para o bot. Peça que ela abra a conversa e toque em Iniciar.',
      recipient_blocked: 'A pessoa bloqueou o bot.',
      bot_removed:
        'O bot não está nesse grupo ou canal, ou foi removido dele. Peça a um administrador que o adicione.',
      voice_not_accepted: 'A pessoa não aceita mensagens de voz. Envie como áudio, sem `voice`.',
      topic_unknown: 'O grupo não tem esse tópico. Informe o `topic.id` de uma mensagem que esteja nele.',
      topic_closed: 'O tópico do grupo está fechado. Peça a um administrador que o abra.',
      target_unknown:
        'A rede não tem mais a mensagem a que esta se refere, ou não é uma mensagem a que um bot possa se referir, como um toque em um botão. Envie uma nova que não se refira a ela.',
      reaction_not_allowed:
        'A rede não permite este emoji como reação, ou não nesta conversa. Escolha um que o app mostre como reação, como 👍 ou ❤.',
      url_not_accepted: 'A rede não aceita a URL do botão. Informe a de uma página na internet.',
      content_not_representable:
        'A rede não consegue mostrar este lugar ou estas pessoas. Informe o nome e o endereço de um lugar, ou nenhum; e envie uma pessoa por mensagem, com um número de telefone.',
      right_missing:
        'O bot não é administrador do grupo, ou não tem o direito de fazer isto. Peça a um administrador que o conceda. Administradores nomeados por outros só podem ser alterados por eles.',
      member_unknown:
        'A pessoa não está no grupo, ou o bot não a conhece. Verifique o endereço. As pessoas entram por um link de convite.',
      member_protected:
        'O dono de um grupo e seus administradores não podem ser removidos, e o bot não pode promover a si mesmo. Rebaixe antes um administrador; o dono fica.',
      supergroup_needed:
        'O grupo é básico, e nele um bot não pode fazer isto. Peça a um administrador que o transforme em supergrupo, por exemplo mostrando o histórico a novos membros.',
      group_refused: 'A rede não aceitou fazer isto com o grupo.',
      asked_too_often: 'A rede limita quantas perguntas o bot pode fazer. Espere um minuto.',
      text_too_long: 'O texto ou a legenda passa do tamanho que a rede permite.',
      text_empty: 'O texto só contém espaços.',
      answer_unusable: 'A resposta não veio da rede.',
    },
    notices: {
      recipient_moved:
        'O grupo tem um novo endereço, e a mensagem foi enviada para lá. Use-o de agora em diante.',
    },
    restrictions: {
      callbacks_failing:
        'A rede não conseguiu entregar mensagens na URL de callback da instância. O envio continua. Peça ao operador que verifique se a rede alcança este servidor.',
    },
    faults: {
      callbacks_impossible: 'A rede não consegue enviar callbacks a este servidor.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

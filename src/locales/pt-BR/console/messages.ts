export const messages = {
  accepted: 'Aceita',
  again: 'Enviar de novo como nova',
  aliases: 'Outros endereços',
  all: 'Todas',
  failed_ones: 'Com falha',
  answer: 'Responder',
  attempt_accepted: 'Tentativa {number}: aceita pela rede',
  attempt_deferred: 'Tentativa {number}: adiada pela rede',
  attempt_rejected: 'Tentativa {number}: recusada pela rede',
  attempt_uncertain: 'Tentativa {number}: sem resposta, pode ter chegado',
  attempt_underway: 'Tentativa {number}: em andamento',
  cancel_all: 'Cancelar todas as filtradas',
  cancel_all_what:
    'Todas as mensagens na fila que correspondem aos filtros são canceladas, mesmo as que não aparecem aqui. Nenhuma delas será enviada.',
  cancel_what:
    'Ela não será enviada. Uma mensagem cuja tentativa está em andamento não pode mais ser cancelada.',
  canceled_all: {
    one: '{count} mensagem foi cancelada.',
    other: '{count} mensagens foram canceladas.',
  },
  canceled_so_far: {
    one: '{count} cancelada até agora',
    other: '{count} canceladas até agora',
  },
  canceled: 'A mensagem foi cancelada.',
  digest: 'SHA-256',
  do_not_cancel: 'Não cancelar',
  earlier_attempts: {
    one: 'Mostrar {count} tentativa anterior',
    other: 'Mostrar {count} tentativas anteriores',
  },
  empty:
    'Ainda não há mensagens. Elas aparecem aqui assim que você envia uma, ou quando alguém escreve para uma das suas contas.',
  expires: 'Expira',
  facts: 'Detalhes',
  id: 'ID da mensagem',
  mark_read: 'Marcar como lida',
  marked_read: 'O remetente foi avisado da leitura.',
  metadata: 'Metadados',
  network_code: 'Código da rede',
  network_id: 'ID na rede',
  new_messages: {
    one: 'Mostrar {count} mensagem nova',
    other: 'Mostrar {count} mensagens novas',
  },
  newer_messages: 'Mostrar mensagens mais recentes',
  next_attempt: 'Próxima tentativa',
  next_canceled: 'Não foi enviada e não será. Se foi cancelada por engano, envie-a de novo como nova.',
  next_expired:
    'O prazo acabou antes que ela pudesse ser enviada. O destinatário não a tem: enviá-la de novo como nova não duplica nada.',
  next_failed: 'O Posthorn não tenta de novo. Corrija o que está indicado acima e envie-a de novo como nova.',
  next_queued:
    'Ela aguarda o horário, mensagens anteriores ao mesmo destinatário, a conexão da instância ou o arquivo.',
  next_sending: 'Uma tentativa está em andamento, ou outra virá automaticamente.',
  next_unknown:
    'O destinatário pode tê-la recebido ou não. Pergunte antes de enviá-la de novo como nova: ela pode chegar duas vezes.',
  notices: 'Enviada com alterações',
  origin: 'Enviada de',
  origin_elsewhere: 'outro app ou dispositivo da conta',
  received: 'Recebida',
  scheduled: 'Não antes de',
  search: 'Buscar textos e legendas',
  sent_by_them: 'Enviada pelo remetente',
  timeline: 'O que aconteceu',
  title: 'Mensagens',
  one_title: 'Mensagem',
  one_from: 'De {name}',
  one_to: 'Para {name}',
  window_ends: 'Responder livremente até',
  person: 'Pessoa',
  person_hint: 'O endereço da pessoa ou do grupo, como aparece nas mensagens.',
  again_selected: {
    one: 'Enviar {count} de novo',
    other: 'Enviar {count} de novo',
  },
  again_what:
    'Cada uma é enviada como mensagem nova com o mesmo conteúdo, a mesma referência e os mesmos metadados. A que estava agendada para um momento futuro o mantém. Uma resposta deixa de se referir à mensagem dela.',
  arrived_meanwhile: 'Foi enviada nesse meio-tempo, então não é enviada de novo.',
  cancel_selected: {
    one: 'Cancelar {count} mensagem',
    other: 'Cancelar {count} mensagens',
  },
  cancel_what_selected:
    'Elas não serão enviadas. Uma mensagem cuja tentativa está em andamento não pode mais ser cancelada.',
  do_not_send: 'Não enviar',
  may_double: {
    one: 'De {count} não se sabe se o destinatário a tem. Pergunte antes: ela pode chegar duas vezes.',
    other: 'De {count} não se sabe se os destinatários as têm. Pergunte antes: elas podem chegar duas vezes.',
  },
  need_no_repeat: {
    one: '{count} das selecionadas fica de fora: foi enviada, ainda espera ou não pode ser enviada de novo.',
    other:
      '{count} das selecionadas ficam de fora: foram enviadas, ainda esperam ou não podem ser enviadas de novo.',
  },
  no_longer_wait: {
    one: '{count} das selecionadas fica de fora: já não espera.',
    other: '{count} das selecionadas ficam de fora: já não esperam.',
  },
  nothing_to_do: 'Nenhuma delas espera ou falhou.',
  send_those_too: 'Enviar essas também, embora possam chegar duas vezes',
  sent_again: {
    one: '{count} mensagem foi enviada de novo como nova.',
    other: '{count} mensagens foram enviadas de novo como novas.',
  },
  waiting: 'Em espera',
} as const

export const problems = {
  invalid_request: {
    title: 'Alguns valores não são válidos.',
    next: 'Corrija-os e tente de novo.',
  },
  unauthenticated: {
    title: 'A chave não é válida.',
    next: 'Verifique se ela está completa e não foi revogada.',
  },
  key_expired: {
    title: 'A chave expirou.',
    next: 'Peça uma nova a um administrador da sua organização ou ao operador.',
  },
  forbidden: {
    title: 'Esta chave não tem permissão para isso.',
    next: 'Entre com uma chave que tenha o papel necessário e não esteja limitada a outras instâncias.',
  },
  cross_origin: {
    title: 'O servidor considera que esta requisição veio de outra página.',
    next: 'Abra o console pela URL que o operador informou. Se houver um proxy na frente, o operador deve definir POSTHORN_BASE_URL.',
  },
  session_changed: {
    title: 'Alguém entrou com outra chave neste navegador.',
    next: 'Nada foi feito. Recarregue a página.',
  },
  route_not_found: {
    title: 'O servidor não conhece esta chamada.',
    next: 'Ele pode ter sido atualizado. Recarregue a página.',
  },
  instance_not_found: {
    title: 'Essa instância não existe.',
    next: 'Verifique o nome. Ela pode ter sido removida.',
  },
  message_not_found: {
    title: 'Essa mensagem não existe.',
    next: 'Verifique o link. Mensagens antigas são removidas depois de um tempo.',
  },
  contact_not_found: {
    title: 'Esse contato não existe.',
    next: 'Verifique o endereço. A pessoa pode ter sido esquecida.',
  },
  webhook_not_found: {
    title: 'Esse webhook não existe.',
    next: 'Verifique o link. Ele pode ter sido removido.',
  },
  delivery_not_found: {
    title: 'Essa entrega não existe.',
    next: 'As entregas são mantidas só enquanto seus eventos existem.',
  },
  event_not_found: {
    title: 'Esse evento não existe.',
    next: 'Verifique o ID. Os eventos são guardados apenas por algum tempo.',
  },
  key_not_found: {
    title: 'Essa chave não existe.',
    next: 'Talvez ela não exista mais. Atualize a lista.',
  },
  organization_not_found: {
    title: 'Essa organização não existe.',
    next: 'Verifique o nome.',
  },
  node_not_found: {
    title: 'Esse nó não existe.',
    next: 'Recarregue a página: talvez ele já não esteja guardado.',
  },
  no_other_node: {
    title: 'Nenhum outro nó pode assumir as instâncias.',
    next: 'Inicie outro nó e tente de novo.',
  },
  media_not_found: {
    title: 'Esse arquivo não existe.',
    next: 'A mensagem não tem arquivo, ou ele não pôde ser baixado ou não está mais disponível.',
  },
  not_supported_by_network: {
    title: 'A rede não faz isso.',
    next: 'Use uma instância de outra rede para isso.',
  },
  templates_not_supported: {
    title: 'A rede não tem modelos.',
    next: 'Envie um texto ou use uma instância de uma rede que tenha modelos.',
  },
  setting_missing: {
    title: 'Falta uma configuração na instância.',
    next: 'Crie a instância de novo com ela.',
  },
  templates_being_listed: {
    title: 'Os modelos já estão sendo pedidos à rede.',
    next: 'Tente de novo em instantes.',
  },
  instance_not_connected: {
    title: 'A instância não está conectada.',
    next: 'O status dela diz por quê. Tente de novo quando ela estiver conectada.',
  },
  already_linked: {
    title: 'A conta já está vinculada.',
    next: 'Para vincular outra, desvincule antes esta.',
  },
  link_kind_not_supported: {
    title: 'A rede não permite vincular contas dessa forma.',
    next: 'Escolha outra forma.',
  },
  base_url_missing: {
    title: 'O servidor não sabe a própria URL.',
    next: 'Peça ao operador que defina POSTHORN_BASE_URL: as páginas de vínculo são abertas nela.',
  },
  no_link_step: {
    title: 'Não há nada a fazer para vincular a conta.',
    next: 'Veja o status da instância.',
  },
  logout_not_supported: {
    title: 'A rede não permite desvincular contas.',
    next: 'Pare a instância ou remova-a.',
  },
  link_not_asking: {
    title: 'A instância não está esperando uma resposta.',
    next: 'Veja o que ela pede agora.',
  },
  network_refused: {
    title: 'A rede recusou.',
    next: 'A resposta dela diz por quê.',
  },
  request_timeout: {
    title: 'A requisição chegou devagar demais.',
    next: 'Tente de novo com uma conexão mais rápida.',
  },
  instance_name_taken: {
    title: 'Outra instância tem esse nome.',
    next: 'Escolha outro nome ou espere até essa instância ser removida.',
  },
  instance_limit_reached: {
    title: 'A organização atingiu o limite de instâncias.',
    next: 'Remova uma instância ou peça ao operador que aumente o limite (POSTHORN_INSTANCE_LIMIT).',
  },
  account_in_use: {
    title: 'Outra instância da sua organização usa esta conta.',
    next: 'Use essa instância ou remova-a antes: duas conexões derrubariam uma à outra.',
  },
  instance_deleting: {
    title: 'A instância está sendo removida.',
    next: 'Ela não pode mais ser alterada. Depois da remoção, o nome fica livre.',
  },
  instance_changed_meanwhile: {
    title: 'Outras pessoas estão alterando a instância ao mesmo tempo.',
    next: 'Nada foi alterado. Tente de novo.',
  },
  organization_name_taken: {
    title: 'Outra organização tem esse nome.',
    next: 'Escolha outro.',
  },
  key_limit_reached: {
    title: 'A organização atingiu o limite de chaves.',
    next: 'Revogue as chaves que ninguém usa.',
  },
  webhook_limit_reached: {
    title: 'A organização atingiu o limite de webhooks.',
    next: 'Remova um webhook ou peça ao operador que aumente o limite (POSTHORN_WEBHOOK_LIMIT).',
  },
  webhook_not_enabled: {
    title: 'O webhook está desativado.',
    next: 'Ative-o e tente de novo.',
  },
  message_not_cancelable: {
    title: 'A mensagem não pode mais ser cancelada.',
    next: 'Ela já foi repassada à rede, ou o envio já foi concluído.',
  },
  files_quota_exceeded: {
    title: 'A organização não tem espaço para o arquivo.',
    next: 'Cancele mensagens na fila com arquivos, espere até que outros sejam removidos ou peça ao operador que aumente o limite (POSTHORN_FILES_LIMIT).',
  },
  stored_quota_exceeded: {
    title: 'A organização não tem espaço para mais mensagens.',
    next: 'Espere até que as mensagens antigas sejam removidas ou peça ao operador que aumente o limite (POSTHORN_STORED_LIMIT).',
  },
  media_pending: {
    title: 'O arquivo ainda está sendo baixado.',
    next: 'Tente de novo em instantes.',
  },
  idempotency_in_progress: {
    title: 'A mesma requisição ainda está sendo respondida.',
    next: 'Tente de novo em instantes.',
  },
  event_forgotten: {
    title: 'O evento não está mais disponível.',
    next: 'O operador define por quanto tempo os eventos são guardados (POSTHORN_EVENT_RETENTION_DAYS).',
  },
  cursor_expired: {
    title: 'O que vem a partir daqui não está mais disponível.',
    next: 'Comece de novo do início.',
  },
  restored: {
    title: 'O servidor foi restaurado de um backup.',
    next: 'Recarregue a página. Talvez o servidor não saiba o que foi enviado depois do backup.',
  },
  body_too_large: {
    title: 'Isto é grande demais.',
    next: 'Envie um arquivo menor ou menos itens por vez.',
  },
  misdirected_request: {
    title: 'O servidor não atende por este nome.',
    next: 'Use a URL que o operador informou ou peça que ele inclua este nome em POSTHORN_ALLOWED_HOSTS.',
  },
  recipient_opted_out: {
    title: 'O destinatário não quer publicidade.',
    next: 'As outras mensagens continuam chegando. Se o modelo não for publicitário, informe a categoria dele.',
  },
  target_not_sent: {
    title: 'A outra mensagem não foi enviada.',
    next: 'Ela falhou, expirou ou foi cancelada, então nada pode se referir a ela.',
  },
  message_not_received: {
    title: 'A mensagem não foi recebida.',
    next: 'Só dá para marcar como lidas as mensagens recebidas.',
  },
  not_your_message: {
    title: 'A mensagem não é sua.',
    next: 'Só dá para editar ou apagar mensagens que a sua conta enviou.',
  },
  message_not_editable: {
    title: 'A mensagem não pode ser alterada desta forma.',
    next: 'Envie uma nova mensagem.',
  },
  edit_window_over: {
    title: 'A mensagem foi enviada há tempo demais.',
    next: 'A rede só permite isso por um prazo. Envie uma nova mensagem.',
  },
  outside_reply_window: {
    title: 'O prazo para responder livremente acabou.',
    next: 'Envie um modelo, se a rede tiver, ou espere até o destinatário escrever de novo.',
  },
  rate_limited: {
    title: 'Requisições demais.',
    next: 'Aguarde um momento e tente de novo.',
  },
  too_many_streams: {
    title: 'Há conexões ao vivo demais abertas.',
    next: 'Feche outras abas do console ou encerre algumas das requisições em espera.',
  },
  too_many_waits: {
    title: 'Há requisições demais da organização esperando um resultado.',
    next: 'Tente de novo em instantes.',
  },
  too_many_batches: {
    title: 'Há lotes demais da organização em espera.',
    next: 'Envie menos ao mesmo tempo e tente de novo em instantes.',
  },
  group_not_found: {
    title: 'Esse grupo não existe.',
    next: 'Confira o endereço e se a conta ainda está no grupo.',
  },
  too_many_group_changes: {
    title: 'Mudanças demais em grupos.',
    next: 'Espere um pouco: as redes banem contas que fazem muitas mudanças.',
  },
  group_requests_waiting: {
    title: 'Há solicitações demais sobre grupos em espera.',
    next: 'Tente de novo em instantes.',
  },
  outcome_unknown: {
    title: 'A rede não disse se foi feito.',
    next: 'Veja o grupo antes de tentar de novo.',
  },
  picture_not_found: {
    title: 'O contato não mostra nenhuma foto.',
    next: 'Talvez só outras pessoas a vejam. Tente de novo daqui a uma hora.',
  },
  too_many_pictures: {
    title: 'Fotos demais foram pedidas.',
    next: 'Espere um pouco: as redes banem contas que perguntam por pessoas demais.',
  },
  too_many_checks: {
    title: 'Endereços demais foram verificados.',
    next: 'Espere um pouco: as redes banem contas que perguntam por pessoas demais.',
  },
  queue_full: {
    title: 'A fila da instância está cheia.',
    next: 'Tente de novo depois que algumas mensagens forem enviadas. Se nenhuma sair, o status da instância diz por quê.',
  },
  voice_queue_full: {
    title: 'Há mensagens de voz demais aguardando conversão.',
    next: 'Tente mais tarde ou envie OGG com Opus, que não precisa de conversão.',
  },
  unsettled_quota_exceeded: {
    title: 'A organização atingiu o limite de mensagens em espera.',
    next: 'Espere até que algumas sejam enviadas, cancele algumas ou peça ao operador que aumente o limite (POSTHORN_UNSETTLED_LIMIT).',
  },
  headers_too_large: {
    title: 'Os cabeçalhos da requisição são grandes demais.',
    next: 'Apague os cookies deste site e entre de novo.',
  },
  internal_error: {
    title: 'Ocorreu um erro interno no Posthorn.',
    next: 'Tente de novo. Se não adiantar, informe ao operador o ID da requisição abaixo.',
  },
  instance_unreachable: {
    title: 'O nó que executa a instância não está acessível.',
    next: 'Tente de novo em alguns segundos.',
  },
  store_unavailable: {
    title: 'O banco de dados está inacessível no momento.',
    next: 'Nada foi alterado. Tente de novo em instantes.',
  },
  answers_not_read: {
    title: 'Há respostas demais da sua organização que não foram lidas.',
    next: 'Alguns dos seus programas pedem mais do que leem. Pare-os e tente de novo.',
  },
  too_many_connections: {
    title: 'O servidor atingiu o limite de conexões.',
    next: 'Tente de novo em instantes.',
  },
  shutting_down: {
    title: 'O servidor está parando.',
    next: 'Nada foi alterado. Tente de novo quando ele voltar.',
  },
  storage_full: {
    title: 'O disco do servidor está cheio.',
    next: 'Nada foi alterado. O operador precisa liberar espaço.',
  },
} as const

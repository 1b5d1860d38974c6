/** Why an instance has its status: the reasons of the contract, and those that several networks have in common. */
export const reasons = {
  start_ordered: 'Alguém iniciou a instância.',
  settings_changed: 'Alguém alterou as configurações da instância.',
  restart_ordered: 'Alguém reiniciou a instância.',
  link_ordered: 'Alguém quer vincular a conta.',
  stop_ordered: 'Alguém parou a instância.',
  remove_ordered: 'Alguém removeu a instância. O nome fica livre quando a rede confirmar a remoção.',
  link_expired: 'Ninguém vinculou a conta a tempo. Quando alguém puder vinculá-la, comece de novo.',
  link_declined:
    'A pessoa que recebeu o link não quis vincular a conta. Fale com ela e, se mudar de ideia, crie outro link.',
  logged_out_by_request:
    'Alguém desvinculou a conta. As mensagens na fila aguardam até que uma conta seja vinculada de novo.',
  probe_timeout: 'A rede não respondeu a tempo a uma verificação. O Posthorn se conecta de novo.',
  owner_lost:
    'O nó que executava a instância não responde. Outro nó a assumirá em meio minuto e a conectará.',
  answers_missing:
    'A rede deixou de responder a mensagens demais. O Posthorn se reconecta e repete as mensagens que a rede reconhece pelo ID.',
  messages_missed:
    'Chegaram mais mensagens do que era possível guardar naquele momento. O Posthorn se reconecta e busca as que faltam, se a rede ainda as tiver.',
  credentials_unreadable:
    'As credenciais guardadas não podem ser descriptografadas: foram criptografadas com outra chave mestra ou alteradas. Substitua-as ou peça ao operador que restaure a chave mestra correta e inicie a instância.',
  account_taken:
    'Outra instância deste servidor já recebe o que a rede envia sobre esta conta, e só uma pode. Se a outra for sua, remova-a. Se não for, e não puder mais usar a conta, revogue as credenciais dela na rede. Depois inicie esta instância.',
  incoming_quota_exceeded:
    'A organização atingiu a cota de mensagens recebidas. O Posthorn se reconecta para enviar e volta a receber quando as antigas forem removidas ou o operador aumentar o limite (POSTHORN_INCOMING_LIMIT).',
  removal_unconfirmed: 'A rede ainda não confirmou a remoção. O Posthorn tenta de novo.',
  internal_error:
    'Ocorreu um erro interno no Posthorn, que tenta de novo. Se o problema persistir, avise o operador; a causa está no log.',
  token_refused: 'A rede recusou o token. Informe o token correto em “Substituir credenciais”.',
  logged_out: 'A conta não está mais vinculada: a sessão foi encerrada na rede ou no celular.',
  replaced:
    'Outro programa usa a mesma conta e tomou a conexão. Encerre o outro programa ou dê a ele uma conta própria.',
  rate_limited: 'A rede limita a frequência das consultas.',
  address_not_allowed:
    'O operador não permite que instâncias se conectem ao endereço do servidor da rede. Peça que ele libere o endereço (POSTHORN_CONNECT_ALLOW_CIDRS).',
  server_unreachable: 'O servidor da rede está inacessível.',
  tls_failed: 'Não foi possível abrir uma conexão criptografada, por exemplo por causa de um certificado.',
  connection_reset: 'A conexão foi interrompida.',
  answer_timeout: 'A rede não respondeu a tempo.',
  server_error: 'Houve uma falha no servidor da rede.',
  memory_of_connection:
    'A conexão atingiu o limite de memória. Se o problema persistir, fale com o operador do Posthorn.',
  memory_of_organization:
    'As conexões da organização atingiram o limite de memória, e esta usava a maior parte. Se o problema persistir, use menos instâncias ao mesmo tempo.',
  memory_of_server:
    'As conexões do servidor atingiram o limite de memória. Se o problema persistir, avise o operador do Posthorn.',
  account_locked:
    'A rede bloqueou a conta. Descubra o motivo lá e inicie a instância quando a conta puder ser usada de novo.',
  stream_error: 'A rede encerrou a conexão por um motivo desconhecido.',
} as const

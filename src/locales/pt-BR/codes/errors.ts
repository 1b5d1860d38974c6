/** Why a message waits or was given up: the errors of the contract, and those that several networks have in common. */
export const errors = {
  recipient_unknown: 'O destinatário não existe nesta rede. Verifique o endereço.',
  recipient_gone: 'O endereço do destinatário não está mais em uso. Peça outro a ele.',
  not_allowed:
    'A conta não pode escrever para este destinatário. Peça permissão a ele ou a um administrador.',
  recipient_unreachable: 'A rede não consegue entregar a esta pessoa.',
  message_refused: 'A rede recusou a mensagem. Altere-a ou escolha outro destinatário.',
  template_unknown: 'A conta não tem um modelo aprovado com este nome neste idioma.',
  template_parameters_wrong:
    'Os componentes não correspondem ao modelo: há parâmetros demais, de menos ou de outro tipo.',
  template_too_long: 'Com estes parâmetros, o texto do modelo fica longo demais.',
  template_policy: 'Com estes parâmetros, o texto do modelo viola uma política da rede.',
  template_paused: 'A rede pausou o modelo porque os destinatários não gostaram do que receberam.',
  template_disabled: 'A rede desativou o modelo.',
  template_refused: 'A rede se recusou a enviar uma mensagem a partir deste modelo.',
  file_unreadable: 'O arquivo guardado não pôde ser lido. Se o problema persistir, avise o operador.',
  file_missing: 'O arquivo guardado não existe mais ou está incompleto. Envie-o de novo e avise o operador.',
  file_altered: 'O arquivo guardado não é mais igual ao que foi aceito. Envie-o de novo e avise o operador.',
  text_not_representable:
    'O texto, a legenda ou o nome do arquivo contém um caractere que a rede não transmite.',
  file_too_large: 'O arquivo é maior do que a rede aceita. Envie um menor.',
  file_empty: 'A rede não aceita arquivos vazios.',
  rate_limited: 'A rede limita quantas mensagens podem ser enviadas no momento.',
  not_connected: 'A instância não estava conectada.',
  network_unreachable: 'A rede estava inacessível.',
  upload_interrupted: 'A conexão terminou antes que o arquivo inteiro fosse enviado.',
  token_refused: 'A rede recusou o token de acesso, ou falta uma permissão a ele.',
  caption_not_supported:
    'A rede não aceita legendas em áudios nem em figurinhas. Envie a legenda como texto.',
  server_error: 'Houve uma falha no servidor da rede, que não aceitou a mensagem.',
  upload_failed: 'O arquivo não pôde ser enviado à rede, e nada chegou ao destinatário.',
  upload_refused: 'A rede recusou o arquivo, e nada foi enviado.',
  message_malformed: 'A rede não entendeu a mensagem. Envie uma nova; se falhar de novo, avise o operador.',
  media_unreachable: 'Não foi possível baixar o arquivo. Verifique a URL.',
  media_timeout: 'O download do arquivo demorou demais. Envie-o deste computador.',
  media_refused:
    'O Posthorn não pode baixar nada desta URL. Informe outra ou envie o arquivo deste computador.',
  media_not_kept:
    'O arquivo foi recebido, mas não pôde ser guardado. Se o problema persistir, avise o operador.',
  files_quota_exceeded: 'O arquivo ultrapassaria a cota de arquivos da organização. Libere espaço.',
  media_too_large: 'O arquivo é grande demais. Envie um menor.',
  media_type_mismatch:
    'O conteúdo do arquivo não corresponde ao tipo com que foi enviado. Envie-o como documento.',
  voice_too_long:
    'O áudio é longo demais para uma mensagem de voz. Envie um mais curto ou envie-o como áudio comum.',
  voice_queue_full:
    'Há mensagens de voz demais aguardando conversão. Tente mais tarde ou envie OGG com Opus.',
  voice_not_convertible: 'O áudio não pôde ser convertido em mensagem de voz. Envie OGG com Opus.',
  outside_reply_window:
    'O destinatário escreveu há tempo demais, e a rede só permite responder por um prazo. Envie um modelo, se a rede tiver, ou espere até ele escrever de novo.',
  recipient_opted_out:
    'O destinatário não quer publicidade, e o modelo é publicitário ou a categoria dele não é conhecida. Não envie publicidade a esta pessoa; se o modelo não for publicitário, informe a categoria.',
  target_not_sent:
    'A mensagem a que esta se refere não foi enviada ou não é mais guardada. Envie uma nova que não se refira a ela.',
  group_full: 'O grupo tem tantos membros quanto a rede permite. Remova alguém antes.',
  not_in_group:
    'Esse grupo não existe, ou a conta não está nele ou não pode escrever nele. Peça a um administrador do grupo que a adicione.',
  join_request_missing:
    'A pessoa não pede para entrar no grupo: a solicitação já foi respondida ou retirada. Consulte as solicitações.',
  edit_window_over:
    'A mensagem foi enviada há tempo demais: a rede só permite isso por um prazo. Envie uma nova mensagem.',
  held_after_restore:
    'O servidor foi restaurado de um backup em que o envio da mensagem não estava concluído. Ela pode ter sido enviada depois do backup; o operador decide se a envia.',
} as const

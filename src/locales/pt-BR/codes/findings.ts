/** Findings about the server, and what the operator can do. */
export const findings = {
  store_unavailable: {
    happened: 'O armazenamento não responde ou não aceita gravações.',
    next: 'Veja o log, ou execute `posthorn doctor` na máquina do servidor.',
  },
  storage_full: {
    happened: 'O disco do armazenamento está cheio, então nenhuma mensagem é aceita.',
    next: 'Libere espaço; o servidor então continua sozinho.',
  },
  store_corrupt: {
    happened: 'Partes do armazenamento não podem ser lidas, porque os dados estão danificados.',
    next: 'Pare o servidor, verifique o disco e restaure um backup.',
  },
  store_replaced: {
    happened: 'O arquivo do armazenamento foi removido ou trocado com o servidor em execução.',
    next: 'Coloque o arquivo de volta, ou reinicie o servidor para usar o atual.',
  },
  node_not_trusted: {
    happened: 'Este nó não consegue mostrar aos outros que está em execução, então não grava nem envia.',
    next: 'Verifique a conexão com o banco de dados e a carga dele. O nó continua sozinho quando consegue.',
  },
  disk_full: {
    happened: 'O disco da pasta de dados está quase cheio. Quando estiver, nenhuma mensagem será aceita.',
    next: 'Libere espaço, ou dê ao servidor um disco maior.',
  },
  disk_low: {
    happened: 'O disco da pasta de dados está enchendo.',
    next: 'Libere espaço, diminua a retenção, ou dê ao servidor um disco maior.',
  },
  messages_held: {
    happened:
      'Há mensagens retidas, porque o armazenamento foi restaurado de um backup: podem ter sido enviadas depois.',
    next: 'Veja-as com `posthorn queue list`; depois envie-as com `queue send`, ou desista delas com `queue fail`.',
  },
  queue_overdue: {
    happened: 'Uma mensagem de uma instância conectada deveria ter saído há mais de dez minutos.',
    next: 'Veja a instância: o ritmo dela pode ser lento demais para a fila, ou a rede não responde.',
  },
  instances_need_person: {
    happened: 'Há instâncias desconectadas da conta ou com falha, e elas esperam por uma pessoa.',
    next: 'As organizações as vinculam de novo ou corrigem as credenciais; a lista de organizações mostra de quem são.',
  },
  webhooks_behind: {
    happened: 'O evento mais antigo que espera por um webhook está esperando há mais de 15 minutos.',
    next: 'Veja qual organização tem um receptor lento ou fora do ar, e avise-a.',
  },
  webhooks_failing: {
    happened: 'Há webhooks que não aceitam nenhum evento há uma hora.',
    next: 'Avise as organizações: os receptores estão fora do ar, ou recusam o que recebem.',
  },
  webhooks_disabled: {
    happened: 'O Posthorn desativou webhooks, porque os receptores falharam por dias ou não existem mais.',
    next: 'As organizações os ativam de novo e reenviam o que perderam, ou os removem.',
  },
  quotas_exhausted: {
    happened: 'Há organizações que esgotaram uma cota, então parte das requisições delas é recusada.',
    next: 'Veja a lista de organizações: aumente a cota, ou peça que abram espaço.',
  },
  backup_old: {
    happened: 'O último backup foi feito há mais de dois dias.',
    next: 'Execute `posthorn backup`, e descubra por que falhou o temporizador que deveria fazê-lo.',
  },
  backup_missing: {
    happened: 'Nenhum backup foi feito com `posthorn backup`.',
    next: 'Faça um temporizador criar um por dia, a menos que você copie o armazenamento de outra forma.',
  },
  listening_in_the_open: {
    happened: 'Outras máquinas podem alcançar o servidor, e nada diz que há TLS na frente dele.',
    next: 'Coloque um proxy com TLS na frente e indique a URL https dele em POSTHORN_BASE_URL, ou escute em 127.0.0.1.',
  },
  folder_open: {
    happened: 'Outros usuários da máquina podem entrar na pasta de dados, ou ler um arquivo com segredos.',
    next: 'Execute `posthorn doctor`, que diz quais são, e retire as permissões com chmod.',
  },
  network_file_system: {
    happened:
      'O armazenamento está em um sistema de arquivos de rede, no qual o SQLite pode perder mensagens aceitas.',
    next: 'Mova a pasta de dados para um disco local, ou mantenha o armazenamento no PostgreSQL (POSTHORN_DATABASE_URL).',
  },
  files_on_one_node: {
    happened:
      'Há vários nós, mas cada um guarda os arquivos na própria pasta, onde os outros não os encontram.',
    next: 'Defina POSTHORN_MEDIA_STORE como postgres ou s3.',
  },
  nodes_silent: {
    happened: 'Há nós que não mostram há tempo demais que estão em execução.',
    next: 'Veja se as máquinas estão ligadas e alcançam o banco de dados. Outros nós assumem o que eles tinham.',
  },
  versions_differ: {
    happened: 'Os nós executam versões diferentes.',
    next: 'Leve todos à versão mais nova.',
  },
  standbys_unconfirmed: {
    happened:
      'Nenhum servidor de reserva confirma as gravações, então uma troca de servidor do banco de dados pode perder o que foi aceito.',
    next: 'Indique os servidores de reserva em synchronous_standby_names, se o banco de dados passa para algum.',
  },
  clocks_differ: {
    happened: 'Os relógios do banco de dados e desta máquina diferem em mais de cinco segundos.',
    next: 'Mantenha os dois certos com NTP.',
  },
  voice_notes_off: {
    happened:
      'As mensagens de voz não são convertidas: o ffmpeg está instalado, mas o ffprobe ou o prlimit não.',
    next: 'Instale os pacotes ffmpeg e util-linux, e reinicie o servidor.',
  },
} as const

import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Uma conta em qualquer servidor XMPP, seu ou de outra pessoa. Os destinatários são endereços como `ana@example.org`.',
    card: {
      name: 'XMPP',
      what: 'Uma conta em qualquer servidor, seu ou de terceiros.',
    },
    labels: {
      address: 'Endereço',
      service: 'Servidor',
      register: 'Registrar',
      allow_plaintext: 'Permitir sem criptografia',
      password: 'Senha',
    },
    hints: {
      address: 'A conta com que entrar: um endereço XMPP (JID) sem recurso.',
      service:
        'Onde o servidor atende, se o DNS não disser: `xmpp://host:porta` (STARTTLS) ou `xmpps://host:porta` (TLS desde o primeiro byte).',
      register:
        'Cria a conta no servidor se ela ainda não existir. Uma conta criada assim é apagada lá quando a instância é removida.',
      allow_plaintext:
        'Conecta sem criptografia a um servidor nesta máquina. Só é permitido com `localhost` ou um endereço de loopback.',
      password:
        'A senha da conta. Ela pode ficar em branco se a conta for registrada: então uma senha aleatória é criada e guardada.',
    },
    reasons: {
      server_not_found:
        'Nenhum servidor para o endereço foi encontrado no DNS. Verifique o domínio do endereço ou informe o servidor nas configurações.',
      connection_failed: 'A conexão falhou.',
      connection_closed: 'O servidor fechou a conexão.',
      connect_timeout:
        'O servidor não concluiu o login a tempo. Se o problema persistir, fale com o operador dele.',
      not_xmpp: 'O servidor não respondeu como um servidor desta rede. Verifique o host e a porta.',
      certificate_not_trusted:
        'O Posthorn não confia no certificado do servidor. Ele precisa de um certificado válido para o domínio do endereço.',
      login_too_long: 'O servidor enviou dados demais antes de concluir o login.',
      encryption_required:
        'O servidor não oferece criptografia, e o Posthorn não envia nada sem ela. Ative-a no servidor.',
      not_authorized:
        'O servidor recusou o endereço ou a senha. Informe a senha correta em “Substituir credenciais”.',
      password_missing: 'Não há senha para o login. Informe uma em “Substituir credenciais”.',
      credentials_expired: 'A senha expirou. Informe a nova em “Substituir credenciais”.',
      account_disabled: 'O servidor desativou a conta. Peça que ela seja reativada lá.',
      address_taken:
        'A conta não pôde ser registrada porque já existe, e a senha dela não é conhecida. Informe a senha ou crie a instância com outro endereço.',
      no_common_mechanism:
        'O servidor e o Posthorn não têm um método de autenticação em comum. Ative SCRAM-SHA-256, SCRAM-SHA-1 ou PLAIN no servidor.',
      login_needs_encryption: 'O servidor não aceita senha nesta conexão sem criptografia.',
      temporary_auth_failure: 'O servidor não consegue verificar senhas no momento.',
      authentication_failed: 'O login falhou. Se o problema persistir, fale com o operador do servidor.',
      login_too_costly:
        'O servidor exige mais de 100.000 iterações de SCRAM. Faça com que exija menos, por exemplo 10.000.',
      login_too_weak:
        'O servidor exige poucas iterações de SCRAM, e a senha seria fácil demais de adivinhar. Faça com que exija pelo menos 4.096.',
      server_not_trusted:
        'O servidor não conseguiu provar que conhece a conta. Nada é enviado até que consiga.',
      no_resource: 'O servidor não atribuiu um recurso à conexão.',
      registration_deferred: 'O servidor não registra contas no momento.',
      registration_not_offered:
        'O servidor não oferece registro de contas. Crie a conta lá e depois a instância com a senha, sem “Registrar”.',
      registration_needs_a_person:
        'Para registrar, o servidor pede mais do que nome e senha. Registre a conta você mesmo e crie a instância com a senha, sem “Registrar”.',
      registration_refused:
        'O servidor recusou o registro da conta. Crie a conta lá e depois a instância com a senha, sem “Registrar”.',
      acknowledgement_timeout: 'O servidor não confirmou uma mensagem a tempo.',
      acknowledgement_out_of_range: 'O servidor confirmou algo que nunca foi enviado.',
      connection_timeout: 'O servidor passou tempo demais sem receber nada do Posthorn.',
      session_ended: 'O servidor encerrou a sessão.',
      stream_closed: 'O servidor encerrou o fluxo.',
      stream_rejected: 'O servidor rejeitou o fluxo. Se o problema persistir, fale com o operador dele.',
      stream_malformed: 'O servidor enviou XML inválido.',
      stanza_too_large: 'O servidor enviou um elemento grande demais.',
      answers_not_taken: 'O servidor não lê o que o Posthorn envia.',
      policy_violation:
        'Algo que o Posthorn enviou viola uma regra do servidor. Se o problema persistir, fale com o operador dele.',
      redirected:
        'O servidor redirecionou a conexão para outro host, e o Posthorn não segue redirecionamentos. Se esse host estiver certo, informe-o nas configurações da instância.',
      domain_not_served:
        'O servidor não atende o domínio do endereço. Verifique o domínio e o servidor nas configurações.',
      server_shutdown: 'O servidor está sendo desligado ou pediu uma nova conexão.',
      server_busy: 'O servidor está ocupado demais para a conexão no momento.',
    },
    errors: {
      recipient_unavailable:
        'O destinatário não existe, ou está offline e o servidor dele não guarda mensagens.',
      recipient_moved: 'O destinatário agora tem outro endereço. Peça o novo a ele.',
      address_malformed: 'Um servidor no caminho não aceitou o endereço do destinatário.',
      remote_server_not_found:
        'O servidor do destinatário não foi encontrado. Verifique o domínio do endereço.',
      remote_server_timeout: 'O servidor do destinatário não respondeu a tempo.',
      not_authorized: 'A conta precisa de permissão para escrever para este destinatário.',
      not_acceptable: 'O lado do destinatário não aceitou a mensagem.',
      not_supported: 'O lado do destinatário não aceita mensagens deste tipo.',
      policy_violation: 'A mensagem viola uma regra de um servidor no caminho.',
      target_without_id:
        'O aplicativo que escreveu a outra mensagem não deu um identificador a ela, e sem ele o XMPP não pode se referir a essa mensagem. Envie um texto sem `reply_to`.',
      caption_missing:
        'O arquivo foi enviado sem legenda, e o XMPP não pode adicioná-la depois. Envie as palavras como um texto que responda ao arquivo.',
      conflict: 'Um servidor no caminho relatou um conflito entre esta mensagem e outra.',
      undefined_condition: 'A mensagem foi recusada por um motivo desconhecido.',
      upload_unavailable:
        'O servidor da conta não tem um serviço de upload de arquivos. Fale com o operador dele ou envie um texto com um link.',
      upload_address_not_allowed:
        'O servidor da conta quer receber o arquivo em um endereço ao qual o operador não deixa as instâncias se conectarem (POSTHORN_CONNECT_ALLOW_CIDRS).',
      upload_slot_unusable:
        'O servidor da conta não ofereceu uma URL de upload que o Posthorn possa usar. Fale com o operador dele.',
      upload_deferred: 'O servidor da conta não aceita arquivos no momento.',
      upload_timeout: 'O arquivo não foi enviado a tempo.',
      not_in_room: 'A conta não está nesta sala. Entre nela de novo.',
      recipient_is_room:
        'O endereço é o de uma sala e foi escrito como o de uma pessoa. Escreva-o como `room@rooms.example.org?join`.',
      room_not_found: 'Não há nenhuma sala neste endereço. Verifique o endereço.',
      room_members_only:
        'Só membros podem entrar nesta sala. Peça a um administrador da sala que adicione a conta.',
      room_forbidden: 'A sala não permite que a conta faça isso. Fale com um administrador da sala.',
      room_password:
        'A sala pede uma senha, e o Posthorn não tem senhas para salas. Peça a um administrador que a remova ou que torne a conta membro.',
      room_full: 'A sala não deixa entrar mais pessoas neste momento.',
      room_nick_taken: 'O nome da conta já está em uso nesta sala, e outros parecidos também.',
      room_silent: 'A sala não respondeu a tempo.',
      room_refused: 'A sala recusou o pedido. Fale com um administrador da sala.',
      rooms_unavailable:
        'O servidor da conta não tem serviço de salas. Peça ao operador que o adicione ou entre numa sala de outro servidor.',
      too_many_rooms: 'A conta está em tantas salas quantas o Posthorn permite: 200. Saia antes de uma sala.',
      invite_link_fixed:
        'O link de uma sala é o endereço dela, por isso não pode ser trocado. Remova membros ou crie outra sala.',
      picture_too_large:
        'A foto é maior do que o Posthorn lê por XMPP: cerca de 190 kB. Peça-a à pessoa como arquivo.',
    },
    faults: {
      password_required: 'É preciso uma senha, a não ser que a conta deva ser registrada.',
      plaintext_not_local:
        'Sem criptografia, só são permitidas conexões com um servidor nesta máquina (localhost ou um endereço de loopback).',
      service_invalid: 'O formato do servidor não está certo.',
      address_invalid: 'O endereço não é válido.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

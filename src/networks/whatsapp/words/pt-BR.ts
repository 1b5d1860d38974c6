import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Uma conta do WhatsApp, vinculada pelo celular como o WhatsApp Web. O WhatsApp não permite apps não oficiais e pode restringir ou banir a conta: use um número que você possa perder.',
    card: {
      name: 'WhatsApp',
      what: 'Sua própria conta. O celular continua sendo o aparelho principal, e este servidor é um dispositivo conectado.',
      caution:
        'O WhatsApp não permite apps não oficiais e pode restringir ou banir a conta. Use um número que você possa perder ou a API oficial do WhatsApp.',
    },
    labels: {
      proxy: 'Proxy',
      shown_online: 'Exibida como on-line',
      proxy_username: 'Usuário do proxy',
      proxy_password: 'Senha do proxy',
    },
    hints: {
      proxy:
        'Um proxy pelo qual a instância acessa o WhatsApp: esquema (`http`, `https` ou `socks5`), host e, se preciso, porta.',
      shown_online:
        'Se as pessoas veem a conta como on-line enquanto a instância está conectada. Elas também veem dois tiques com o celular desligado, e o celular não mostra notificações. O padrão é não: os dois tiques vêm quando o celular recebe a mensagem.',
      proxy_username: 'O usuário no proxy.',
      proxy_password: 'A senha no proxy.',
    },
    reasons: {
      passkey_required:
        'A rede exige uma chave de acesso (passkey) para vincular esta conta, e o Posthorn não pode repassá-la. Vincule outra conta ou use a API oficial.',
      link_refused:
        'A rede recusou o pedido de um código para vincular o número. Verifique o número ou vincule por QR code. Depois de tentativas demais, espere algumas horas.',
      link_failed: 'A resposta do celular não pôde ser verificada, e nada foi vinculado.',
      account_banned: 'A rede baniu a conta. No celular, abra o app, onde é possível pedir uma análise.',
      temporarily_banned:
        'A rede baniu a conta por um tempo. Inicie a instância só quando o banimento acabar: cada tentativa antes disso piora a situação.',
      client_outdated:
        'A rede recusa a conexão: a versão do programa é antiga demais, ou o nome do navegador não é aceito. Fale com o operador.',
      refused_by_whatsapp:
        'A rede recusou a conexão sem dizer por quê. Abra o app no celular, que pode dizer mais.',
      server_not_proven:
        'Não foi possível confirmar que a resposta veio da rede. Nada é enviado até que isso seja confirmado.',
      not_whatsapp:
        'A resposta não veio da rede. Se o problema persistir, peça ao operador que verifique os proxies no caminho.',
      service_unavailable: 'A rede não aceita conexões no momento.',
      proxy_unreachable:
        'O proxy está inacessível ou não alcança a rede. Verifique o proxy nas configurações.',
      proxy_refused: 'O proxy recusou o usuário ou a senha. Substitua as credenciais e inicie a instância.',
      proxy_not_allowed:
        'O operador não permite que instâncias se conectem ao endereço do proxy. Use um proxy com endereço público ou peça que ele libere o endereço (POSTHORN_CONNECT_ALLOW_CIDRS).',
      message_not_stored: 'Uma mensagem recebida não pôde ser guardada a tempo. A rede a envia de novo.',
      keys_not_stored:
        'Uma chave do vínculo não pôde ser guardada. Nada é enviado com uma chave que pode se perder. Se o problema persistir, avise o operador.',
      too_many_keys:
        'O vínculo tem mais chaves do que uma instância pode guardar. Remova este dispositivo no celular (“Dispositivos conectados”), inicie a instância e vincule a conta de novo, ou peça ao operador que aumente POSTHORN_KEY_LIMIT.',
      worker_crashed: 'O processo que mantinha a conexão terminou. Avise o operador.',
      worker_silent:
        'O processo que mantinha a conexão não respondia mais e foi encerrado. O Posthorn se reconecta. Avise o operador.',
      worker_out_of_memory:
        'O processo que mantinha a conexão precisou de mais memória do que pode ter e foi encerrado. O Posthorn se reconecta. Se acontecer de novo, peça ao operador que procure a causa no log ou aumente POSTHORN_WHATSAPP_WORKER_MEMORY_MB.',
      quarantined:
        'Mais de uma vez, processos terminaram enquanto trabalhavam para esta conta; por isso ela fica separada das outras. O Posthorn tenta de novo com um processo só para ela, cada vez após uma pausa mais longa. Avise o operador.',
      quarantine_over:
        'Durante uma hora nada aconteceu enquanto a conta ficou separada. O Posthorn se reconecta.',
      library_missing:
        'A biblioteca desta rede não está instalada no servidor. Peça ao operador que instale as dependências opcionais do Posthorn.',
    },
    errors: {
      recipient_not_on_network:
        'O número não tem conta nesta rede. Verifique-o: muitos envios a números sem conta levam a restrições.',
      recipient_refused:
        'A rede não deixa esta conta escrever para o destinatário, que talvez não a conheça. Espere até que ele escreva.',
      reach_out_restricted:
        'A rede não deixa a conta escrever para novos contatos por um tempo, porque ela já escreveu para muitos.',
      new_chats_limit: 'A conta já escreveu para todos os novos contatos que a rede permite por um tempo.',
      group_admin_required:
        'Só administradores do grupo podem fazer isso, e a conta não é um deles ou não está no grupo. Peça a um administrador que a promova.',
      group_subject_refused:
        'A rede não aceita este nome de grupo. Escolha outro, de no máximo 100 caracteres.',
      group_description_refused:
        'A rede não aceita esta descrição de grupo. Escolha outra, com no máximo 2048 caracteres.',
      group_description_changed:
        'A descrição do grupo foi alterada ao mesmo tempo. Consulte o grupo e altere-a de novo, se ainda for preciso.',
      group_invitation_invalid:
        'O convite não leva a nenhum grupo: está errado, foi renovado ou não é para esta conta. Peça outro link a um administrador.',
      group_approval_needed: 'Um administrador do grupo precisa aprovar antes. A rede já o avisou.',
      group_is_community:
        'É uma comunidade, ou os avisos dela, e não um grupo. Use um dos grupos da comunidade.',
      member_invitation_needed:
        'A pessoa não deixa que esta conta a adicione a grupos. Envie a ela o link do grupo.',
      member_left_lately:
        'A pessoa saiu do grupo há pouco e ainda não pode ser adicionada. Envie a ela o link do grupo.',
      member_already: 'A pessoa já está no grupo.',
      member_missing: 'A pessoa não está no grupo.',
      member_refused: 'A rede recusou a alteração deste membro. Quem criou o grupo não pode ser removido.',
      question_refused: 'A rede recusou o pedido. Se ele não tiver nada de incomum, avise o operador.',
    },
    restrictions: {
      reach_out_restricted:
        'A rede não deixa a conta escrever para novos contatos, porque ela já escreveu para muitos. Ainda é possível responder a quem escreveu para a conta.',
      temporarily_banned:
        'A rede baniu a conta por um tempo. Inicie a instância só quando o banimento acabar: cada tentativa antes disso piora a situação.',
      new_chats_limit_near:
        'A conta já escreveu para quase todos os novos contatos que a rede permite. Escreva para novos contatos mais devagar.',
      new_chats_limit:
        'A conta já escreveu para todos os novos contatos que a rede permite. Ainda é possível responder a quem escreveu para a conta.',
    },
    faults: {
      proxy_invalid: 'O proxy não é válido.',
      proxy_missing: 'Não há proxy configurado. Informe um nas configurações ou deixe este campo em branco.',
      proxy_login_incomplete: 'Informe o usuário e a senha do proxy, ou nenhum dos dois.',
    },
  },
  'link-page': {
    app: 'WhatsApp',
    guide: {
      open: 'Abra o WhatsApp no celular desta conta.',
      menu: {
        android: 'Toque em *Mais opções* (⋮).',
        iphone: 'Toque em *Configurações*.',
        any: 'No Android, toque em *Mais opções* (⋮); no iPhone, em *Configurações*.',
      },
      devices: 'Toque em *Dispositivos conectados* e depois em *Conectar dispositivo*.',
      scan: 'Aponte o celular para esta tela para escanear o código.',
      type: 'Toque em *Conectar com número de telefone* e digite o código.',
      notification:
        'Se o WhatsApp mostrar uma notificação para conectar um dispositivo, você pode tocar nela e digitar o código.',
      undo: 'No WhatsApp, em *Dispositivos conectados*, toque neste dispositivo e depois em *Desconectar*. A ligação acaba na hora.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

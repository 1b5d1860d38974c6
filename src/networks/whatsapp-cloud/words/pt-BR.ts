import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Um número comercial do WhatsApp, pela API hospedada pela Meta. Os destinatários são números de telefone com o código do país, como `+55 11 91234-5678`.',
    card: {
      name: 'WhatsApp Cloud API',
      what: 'Um número comercial, pela API oficial hospedada pela Meta.',
    },
    labels: {
      phone_number_id: 'ID do número de telefone',
      business_account_id: 'ID da conta comercial',
      api_version: 'Versão da API',
      access_token: 'Token de acesso',
      app_secret: 'Segredo do app',
      verify_token: 'Token de verificação',
    },
    hints: {
      phone_number_id:
        'O ID do número comercial, em “API Setup” do app na Meta. Não é o próprio número de telefone.',
      business_account_id:
        'O ID da conta do WhatsApp Business a que o número pertence. Com ele, os modelos podem ser listados.',
      api_version: 'A versão da Graph API. A Meta mantém cada uma por cerca de dois anos.',
      access_token:
        'Um token de um usuário do sistema com as permissões `whatsapp_business_messaging` e `whatsapp_business_management`.',
      app_secret:
        'O segredo do seu app, com que a Meta assina os callbacks e com que se prova que cada pedido vem do app. Deixe-o em branco, junto com o token de verificação, para usar o app do operador, se o servidor tiver um.',
      verify_token: 'Uma palavra à sua escolha. Informe a mesma na Meta com a URL de callback.',
    },
    reasons: {
      missing_permission:
        'Falta uma permissão ao token de acesso. Dê ao usuário do sistema as permissões whatsapp_business_messaging e whatsapp_business_management, crie outro token e substitua as credenciais.',
      proof_refused:
        'A Meta não aceitou a prova com o segredo do app: o token de acesso é de outro app. Informe o segredo do app para o qual o token foi criado, ou um token deste app.',
      number_unknown:
        'A Meta não conhece um número com este ID que o token possa usar. Verifique o ID e se o número está atribuído ao usuário do sistema.',
      business_account_unknown:
        'A Meta não conhece uma conta comercial com este ID que o token possa usar. Verifique o ID e se a conta está atribuída ao usuário do sistema.',
      number_not_registered: 'O número não está registrado na Cloud API. Registre-o na Meta.',
      account_deleted:
        'A conta comercial foi excluída na Meta. Crie outra na Meta e depois uma instância para o número dela.',
      partner_removed:
        'A empresa não compartilha mais a conta com o app, e a Meta não deixa o token usar o número. Peça à empresa que a compartilhe de novo e inicie a instância.',
      version_refused:
        'A Meta não oferece mais, ou ainda não oferece, esta versão da API. Informe outra versão, ou nenhuma, nas configurações da instância.',
      app_missing:
        'A instância não tem app próprio, e este servidor não tem mais um que ela possa usar. Fale com o operador ou dê à instância um app próprio.',
      account_blocked:
        'A Meta bloqueou a conta por um tempo porque ela violou uma política. Veja o motivo na Central de Suporte para Empresas da Meta.',
      question_refused: 'A Meta se recusou a informar qual é o número.',
      not_cloud_api:
        'A resposta não veio da Cloud API. Se o problema persistir, peça ao operador que verifique o endereço configurado e os proxies no caminho.',
    },
    errors: {
      recipient_is_sender: 'A mensagem é dirigida ao próprio número que a envia.',
      recipient_not_allowed:
        'Um número de teste só pode escrever para os números da lista dele. Adicione o destinatário à lista na Meta.',
      recipient_limit_reached:
        'A rede limita as mensagens de marketing que a pessoa recebe e não entregou esta. Não envie outra por pelo menos um dia.',
      recipient_in_experiment:
        'A rede não entregou a mensagem porque a pessoa participa de um experimento da Meta.',
      recipient_changed: 'A identidade da pessoa mudou. Certifique-se de que ainda é a mesma pessoa.',
      user_id_not_supported:
        'A rede não aceita um ID de usuário para esta mensagem. Use o número de telefone da pessoa.',
      group_unusable:
        'A Meta não conhece este grupo para o número, suspendeu o grupo, ou não há mais ninguém nele. Verifique o grupo.',
      country_restricted: 'A conta comercial não pode escrever para pessoas neste país.',
      message_invalid: 'A rede não aceita um parâmetro da mensagem.',
      message_type_not_supported: 'A rede não aceita este tipo de mensagem.',
      file_type_not_supported:
        'A rede não aceita este tipo de arquivo como este tipo de mensagem. Converta o arquivo.',
      sticker_too_large: 'Uma figurinha que não se move pode ter no máximo 100 KB no WhatsApp. Reduza-a.',
      file_refused: 'A rede não conseguiu usar o arquivo. Verifique o tipo e o tamanho.',
      templates_refused:
        'A Meta não informou quais modelos a conta comercial tem. Verifique o ID da conta e as permissões do token.',
      recipient_rate_limited:
        'Este número enviou mensagens demais para esta pessoa em pouco tempo. A mensagem será enviada daqui a pouco.',
      number_rate_limited:
        'O número envia mais mensagens por segundo do que a rede permite. A mensagem será enviada em alguns segundos.',
      account_rate_limited:
        'O app ou a conta comercial fez requisições demais. A mensagem será enviada em alguns minutos.',
      flow_rate_limited:
        'O fluxo do modelo já foi enviado dez vezes em uma hora: a Meta não permite mais enquanto ele falhar com frequência. A mensagem será enviada depois de uma hora.',
      group_rate_limited:
        'Este número fez coisas demais em grupos em pouco tempo. A mensagem será enviada depois de um tempo.',
      refused_for_now:
        'A Meta recusou a mensagem e disse que a causa passa. A mensagem será enviada depois de um tempo.',
      spam_limit:
        'A rede restringe o número porque muitas das mensagens dele foram bloqueadas ou denunciadas. Nada é enviado por uma hora.',
      policy_block:
        'A rede bloqueou a conta por um tempo porque ela violou uma política. Nada é enviado por uma hora.',
      messaging_limit: 'A conta atingiu o número de pessoas a quem pode escrever primeiro.',
      payment_problem:
        'A rede não envia por um problema com o pagamento da conta comercial. Verifique a forma de pagamento na Meta.',
      number_not_ready: 'O nome de exibição ou o certificado do número não foi aprovado.',
      number_in_maintenance: 'O número está em manutenção.',
      number_refused: 'A rede não deixa o número enviar. O status da instância diz por quê.',
      groups_not_available:
        'A Meta não permite grupos a este número. Grupos são para contas comerciais oficiais e números que usam só a Cloud API.',
      group_limit_reached:
        'O número criou tantos grupos quanto a Meta permite (10.000). Exclua grupos que não são mais necessários.',
      group_creation_paused:
        'A Meta não deixa a conta comercial criar grupos por enquanto, porque ela enviou marketing demais. Envie menos por uma semana e tente de novo.',
      group_suspended: 'A Meta suspendeu o grupo porque ele viola uma política. Veja o motivo na Meta.',
      group_changes_limited:
        'A Meta não faz isso por enquanto, porque se pediu demais ou o serviço dela não está disponível. Tente de novo em alguns minutos.',
      group_member_missing: 'A pessoa não é membro do grupo.',
      group_members_too_many: 'A Meta remove no máximo oito membros por vez. Faça várias solicitações.',
      group_place_expired: 'A Meta não conhece mais este lugar da lista de grupos. Comece a lista de novo.',
      groups_refused:
        'A Meta não deixa o token de acesso fazer isso com grupos. Verifique o status da instância e as permissões do token.',
      group_change_refused:
        'A Meta recusou fazer isso com o grupo. Procure o código na lista de erros da Groups API.',
      not_cloud_api: 'A resposta não veio da Cloud API.',
    },
    notices: {
      held_for_quality_assessment:
        'A rede aceitou a mensagem, mas a retém para ver como as pessoas recebem outras iguais.',
    },
    restrictions: {
      spam_limit:
        'A Meta restringe o número porque muitas das mensagens dele foram bloqueadas ou denunciadas. Verifique a qualidade do número na Meta.',
      policy_block:
        'A Meta bloqueou a conta por um tempo porque ela violou uma política. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
      messaging_limit:
        'A conta atingiu o número de pessoas a quem pode escrever primeiro. A Meta aumenta o limite de contas com boa qualidade.',
      payment_problem:
        'A Meta não envia por um problema com o pagamento da conta comercial. Verifique a forma de pagamento na Meta. Nada é enviado por dez minutos.',
      number_not_ready:
        'O nome de exibição ou o certificado do número não foi aprovado. Verifique o número no Gerenciador do WhatsApp. Nada é enviado por dez minutos.',
      account_deleted:
        'A Meta diz que a conta comercial foi excluída. Nada é enviado por um dia. Se a conta ainda existir, fale com a Meta.',
      partner_removed:
        'A Meta diz que a empresa não compartilha mais a conta com um parceiro, que pode ser o app desta instância. Enquanto a Meta aceitar o token, nada precisa ser feito.',
      account_restricted:
        'A Meta restringe o que a conta comercial pode fazer, porque ela violou uma política. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
      account_disabled:
        'A Meta desativou a conta comercial porque ela violou uma política. Peça uma análise no suporte para empresas da Meta (Business Support Home).',
      account_disabled_soon:
        'A Meta vai desativar a conta comercial porque ela violou uma política. Peça uma análise no suporte para empresas da Meta (Business Support Home).',
      account_violation:
        'A conta comercial violou uma política da Meta. Descubra qual e elimine a causa: novas violações levam a restrições.',
      account_not_approved:
        'A Meta analisou a conta comercial e ainda não a aprovou. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
      account_offboarded:
        'A Meta desconectou o número da API porque o app foi movido para outro celular ou registrado de novo. Ela o reconecta se o dono do celular concordar.',
      quality_low:
        'As pessoas bloqueiam ou denunciam mensagens do número, e a Meta avalia a qualidade dele como baixa. Envie só o que as pessoas esperam.',
    },
    faults: {
      ids_equal: 'O número e a conta comercial têm IDs diferentes. A Meta mostra os dois em “API Setup”.',
      app_secret_missing: 'É preciso informar também o segredo do app.',
      verify_token_missing: 'É preciso informar também o token de verificação.',
      verify_token_not_separate:
        'O token de verificação faz parte de uma URL. Escolha uma palavra que não seja um segredo do app.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Uma rede só para testes, que faz parte do Posthorn e não precisa de conta: o endereço do destinatário determina o que acontece com a mensagem.',
    card: {
      name: 'Sandbox',
      what: 'Para experimentar tudo. Nenhuma mensagem sai deste servidor.',
    },
    labels: {
      account: 'Conta',
      behaviour: 'Comportamento',
      after_seconds: 'Depois de (segundos)',
      reply_window_seconds: 'Janela de resposta em segundos',
      link: 'Forma de vincular',
      links_after_seconds: 'Vinculada após (segundos)',
      link_step_seconds: 'Segundos por etapa',
      token: 'Token',
    },
    hints: {
      account: 'O nome da conta; o endereço dela é `<conta>@delivers.sandbox`.',
      behaviour: 'O que a conexão faz.',
      after_seconds: 'Quanto tempo a conexão espera antes de fazer o que diz o comportamento.',
      reply_window_seconds:
        'Por quanto tempo se pode responder a quem escreveu, como em algumas redes. Sem valor, a qualquer momento.',
      link: 'Sem token, uma pessoa precisa antes vincular a conta: ler um QR code, digitar um código, abrir uma página ou responder a uma pergunta.',
      links_after_seconds:
        'Depois de quantos segundos a rede de testes age como se alguém tivesse feito isso.',
      link_step_seconds: 'Por quanto tempo vale cada etapa do vínculo.',
      token: 'Qualquer token é aceito, exceto `refused`.',
    },
    reasons: {
      client_refused: 'A rede não aceita este programa.',
      network_unreachable: 'A rede está inacessível.',
      connection_dropped: 'A rede derrubou a conexão.',
      link_not_kept:
        'A conta foi vinculada, mas as novas credenciais não puderam ser guardadas. O Posthorn pede outro vínculo.',
    },
    errors: {
      recipient_busy: 'O destinatário não pode receber mensagens no momento.',
      slow_down: 'A rede pediu que esta mensagem seja enviada mais tarde.',
      too_many_messages: 'A rede pediu que todas as mensagens da conta sejam enviadas mais tarde.',
      account_restricted:
        'A conta está restrita no momento. A mensagem será enviada quando a restrição acabar.',
      answer_wrong: 'Este não é o código que a rede enviou.',
      not_admin:
        'Só um administrador do grupo pode fazer isso. Peça a ele, ou que torne a conta administradora.',
      not_a_member: 'Essa pessoa não está no grupo. Adicione-a primeiro.',
      not_asked_to_join: 'Essa pessoa não pede para entrar. Consulte as solicitações do grupo.',
      too_many_groups: 'A conta está em tantos grupos quanto a rede permite. Saia de algum antes.',
      invitation_invalid: 'O convite não leva a nenhum grupo, ou foi substituído por outro. Peça um novo.',
      transfer_broken: 'A conexão terminou antes que o arquivo inteiro fosse enviado.',
    },
    notices: {
      sent_silently: 'A rede entregou a mensagem sem som.',
    },
    restrictions: {
      sandbox_quota:
        'A rede de testes restringe a conta por um tempo, como pedem as configurações da instância.',
    },
    faults: {
      requires_link: 'Isto só tem efeito se a conta for vinculada dessa forma.',
    },
    test_addresses: {
      delivers: 'O caso normal: a mensagem é entregue.',
      reads: 'Um destinatário que lê na hora: a mensagem é entregue e lida.',
      accepts: 'Um destinatário que nunca confirma: a mensagem fica como enviada.',
      'reads-all': 'Um destinatário que lê várias mensagens de uma vez: envie mais de uma no mesmo segundo.',
      'receipt-first': 'A confirmação de entrega chega antes da resposta da rede.',
      vouched: 'É a própria rede que diz até onde a mensagem chegou, sem indicar o destinatário.',
      notices: 'A mensagem é entregue, mas com uma alteração: sem som.',
      replies: 'Um destinatário que responde com o mesmo texto.',
      'replies-twice': 'A rede entrega a resposta duas vezes: ainda é uma só mensagem.',
      chooses:
        'Um destinatário que toca no primeiro dos seus botões, escolhe a primeira linha da sua lista ou vota na sua enquete.',
      reacts: 'Um destinatário que reage com um joinha.',
      quotes: 'Um destinatário cuja resposta cita a sua mensagem.',
      types: 'Um destinatário que escreve por um momento antes de responder.',
      'read-elsewhere': 'Um destinatário que responde, e a conta lê a resposta em outro cliente.',
      'also-elsewhere': 'A conta também é usada em outro app ou dispositivo, que envia o mesmo texto.',
      shares: 'Um destinatário que envia um arquivo: envie como texto a URL de um.',
      'shares-by-reference':
        'Um destinatário que envia um arquivo guardado na rede: só a conexão da instância pode abri-lo.',
      'two-addresses': 'Uma pessoa com dois endereços, como em algumas redes. Ela responde pelo outro.',
      'other-address': 'O outro endereço da pessoa de two-addresses.',
      'window-closed': 'O prazo para responder a esta pessoa acabou: só modelos são aceitos.',
      slow: 'Uma rede lenta: aceita depois de 2 s.',
      'slow-500ms': 'Uma rede um pouco lenta: aceita depois de 0,5 s.',
      unknown: 'Ninguém tem este endereço: recusa definitiva.',
      refuses: 'Uma recusa definitiva.',
      'refuses-twice': 'Uma falha temporária: a terceira tentativa funciona.',
      busy: 'Uma falha que não passa: a mensagem continua sendo enviada até expirar.',
      defers: 'A rede diz quando tentar de novo: depois de 5 s.',
      'limits-account': 'A rede quer todas as mensagens da conta mais tarde: depois de 5 s.',
      uncertain:
        'A mensagem chega, mas a resposta se perde: a segunda tentativa não pode virar uma segunda mensagem.',
      loses: 'A mensagem se perde: só chega se houver uma segunda tentativa.',
      'never-certain':
        'A mensagem chega, mas a resposta sempre se perde: no fim do prazo, o resultado fica incerto.',
      drops: 'A conexão cai durante uma tentativa; a seguinte funciona.',
      stuck: 'A rede nunca responde: toda tentativa esgota o tempo.',
      group: 'Um grupo. Ana e Bo estão nele, e a conta é administradora.',
      'group-refuses': 'Um grupo que a conta não pode mudar.',
      'group-loses': 'As mudanças no grupo são feitas, mas a resposta se perde.',
      'group-silent': 'A rede nunca responde às mudanças deste grupo.',
      'group-gone': 'O grupo não existe mais.',
      returns: 'A mensagem é aceita e depois devolvida.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>

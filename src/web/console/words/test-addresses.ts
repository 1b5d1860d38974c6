import type { Translation } from '../core/translation.ts'

/** What happens to messages to test addresses, by the word behind the `@`; in English, the description of their network says it. */
export const testAddressWords: Readonly<Record<string, Translation>> = {
  delivers: ['O caso normal: a mensagem é entregue.', 'El caso normal: el mensaje se entrega.'],
  reads: [
    'Um destinatário que lê na hora: a mensagem é entregue e lida.',
    'Un destinatario que lee al instante: el mensaje se entrega y se lee.',
  ],
  accepts: [
    'Um destinatário que nunca confirma: a mensagem fica como enviada.',
    'Un destinatario que nunca confirma: el mensaje queda como enviado.',
  ],
  'reads-all': [
    'Um destinatário que lê várias mensagens de uma vez: envie mais de uma no mesmo segundo.',
    'Un destinatario que lee varios mensajes juntos: envía más de uno en el mismo segundo.',
  ],
  'receipt-first': [
    'A confirmação de entrega chega antes da resposta da rede.',
    'La confirmación de entrega llega antes que la respuesta de la red.',
  ],
  vouched: [
    'É a própria rede que diz até onde a mensagem chegou, sem indicar o destinatário.',
    'La propia red dice hasta dónde llegó el mensaje, sin indicar el destinatario.',
  ],
  notices: [
    'A mensagem é entregue, mas com uma alteração: sem som.',
    'El mensaje se entrega, pero con un cambio: sin sonido.',
  ],
  replies: [
    'Um destinatário que responde com o mesmo texto.',
    'Un destinatario que responde con el mismo texto.',
  ],
  'replies-twice': [
    'A rede entrega a resposta duas vezes: ainda é uma só mensagem.',
    'La red entrega la respuesta dos veces: sigue siendo un solo mensaje.',
  ],
  'also-elsewhere': [
    'A conta também é usada em outro app ou dispositivo, que envia o mesmo texto.',
    'La cuenta también se usa en otra app u otro dispositivo, que envía el mismo texto.',
  ],
  shares: [
    'Um destinatário que envia um arquivo: envie como texto a URL de um.',
    'Un destinatario que envía un archivo: envía como texto la URL de uno.',
  ],
  'shares-by-reference': [
    'Um destinatário que envia um arquivo guardado na rede: só a conexão da instância pode abri-lo.',
    'Un destinatario que envía un archivo guardado en la red: solo la conexión de la instancia puede abrirlo.',
  ],
  'two-addresses': [
    'Uma pessoa com dois endereços, como em algumas redes. Ela responde pelo outro.',
    'Una persona con dos direcciones, como en algunas redes. Responde desde la otra.',
  ],
  'other-address': [
    'O outro endereço da pessoa de two-addresses.',
    'La otra dirección de la persona de two-addresses.',
  ],
  'window-closed': [
    'O prazo para responder a esta pessoa acabou: só modelos são aceitos.',
    'El plazo para responder a esta persona terminó: solo se aceptan plantillas.',
  ],
  slow: ['Uma rede lenta: aceita depois de 2 s.', 'Una red lenta: acepta después de 2 s.'],
  'slow-500ms': [
    'Uma rede um pouco lenta: aceita depois de 0,5 s.',
    'Una red algo lenta: acepta después de 0,5 s.',
  ],
  unknown: [
    'Ninguém tem este endereço: recusa definitiva.',
    'Nadie tiene esta dirección: rechazo definitivo.',
  ],
  refuses: ['Uma recusa definitiva.', 'Un rechazo definitivo.'],
  'refuses-twice': [
    'Uma falha temporária: a terceira tentativa funciona.',
    'Un problema temporal: el tercer intento funciona.',
  ],
  busy: [
    'Uma falha que não passa: a mensagem continua sendo enviada até expirar.',
    'Un problema que no pasa: el mensaje sigue enviándose hasta que expira.',
  ],
  defers: [
    'A rede diz quando tentar de novo: depois de 5 s.',
    'La red dice cuándo volver a intentarlo: después de 5 s.',
  ],
  'limits-account': [
    'A rede quer todas as mensagens da conta mais tarde: depois de 5 s.',
    'La red quiere todos los mensajes de la cuenta más tarde: después de 5 s.',
  ],
  uncertain: [
    'A mensagem chega, mas a resposta se perde: a segunda tentativa não pode virar uma segunda mensagem.',
    'El mensaje llega, pero la respuesta se pierde: el segundo intento no debe crear un segundo mensaje.',
  ],
  loses: [
    'A mensagem se perde: só chega se houver uma segunda tentativa.',
    'El mensaje se pierde: solo llega si hay un segundo intento.',
  ],
  'never-certain': [
    'A mensagem chega, mas a resposta sempre se perde: no fim do prazo, o resultado fica incerto.',
    'El mensaje llega, pero la respuesta siempre se pierde: al final del plazo, el resultado queda incierto.',
  ],
  drops: [
    'A conexão cai durante uma tentativa; a seguinte funciona.',
    'La conexión se corta durante un intento; el siguiente funciona.',
  ],
  stuck: [
    'A rede nunca responde: toda tentativa esgota o tempo.',
    'La red nunca responde: todos los intentos agotan el tiempo.',
  ],
  returns: ['A mensagem é aceita e depois devolvida.', 'El mensaje se acepta y después se devuelve.'],
}

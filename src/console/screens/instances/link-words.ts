import { phrases } from '../../core/language.ts'

export const say = phrases({
  answer: ['Answer', 'Resposta', 'Respuesta'],
  begin_code: ['Link with a code', 'Vincular com um código', 'Vincular con un código'],
  begin_qr: ['Link with a QR code', 'Vincular com um QR code', 'Vincular con un código QR'],
  begin_what: [
    'Have the phone of the account at hand: a code lasts only a short time.',
    'Tenha o celular da conta à mão: um código vale por pouco tempo.',
    'Ten a mano el teléfono de la cuenta: un código dura poco tiempo.',
  ],
  code_alone: ['Your code', 'Seu código', 'Tu código'],
  code_how: [
    'Type this code into the app of {network} on the phone of the account.',
    'Digite este código no app de {network} no celular da conta.',
    'Escribe este código en la app de {network} en el teléfono de la cuenta.',
  ],
  expired: [
    'Nobody linked the account in time. Start again when the phone is at hand.',
    'Ninguém vinculou a conta a tempo. Comece de novo quando o celular estiver à mão.',
    'Nadie vinculó la cuenta a tiempo. Empieza de nuevo cuando tengas el teléfono a mano.',
  ],
  expires_in: [
    { one: 'A new one comes in {count} second.', other: 'A new one comes in {count} seconds.' },
    { one: 'Um novo chega em {count} segundo.', other: 'Um novo chega em {count} segundos.' },
    { one: 'Llega uno nuevo en {count} segundo.', other: 'Llega uno nuevo en {count} segundos.' },
  ],
  linked: ['The account is linked.', 'A conta está vinculada.', 'La cuenta está vinculada.'],
  next_soon: ['The next step follows …', 'O próximo passo já vem …', 'El siguiente paso llega enseguida …'],
  open_page: ['Open the page', 'Abrir a página', 'Abrir la página'],
  other_way: ['Link in another way', 'Vincular de outro modo', 'Vincular de otro modo'],
  phone: ['Phone number', 'Número de telefone', 'Número de teléfono'],
  phone_hint: [
    'Of the account, with its country code, for example +49 151 12345678.',
    'Da conta, com o código do país, por exemplo +55 11 91234-5678.',
    'De la cuenta, con su código de país, por ejemplo +34 612 345 678.',
  ],
  picture: [
    'QR code that links the account',
    'QR code que vincula a conta',
    'Código QR que vincula la cuenta',
  ],
  qr_how: [
    'Scan this code with the app of {network} on the phone of the account.',
    'Escaneie este código com o app de {network} no celular da conta.',
    'Escanea este código con la app de {network} en el teléfono de la cuenta.',
  ],
  question_how: [
    '{network} asks something to link the account.',
    '{network} pergunta algo para vincular a conta.',
    '{network} pregunta algo para vincular la cuenta.',
  ],
  send_answer: ['Send the answer', 'Enviar a resposta', 'Enviar la respuesta'],
  title: ['Link the account', 'Vincular a conta', 'Vincular la cuenta'],
  url_how: [
    'Open this page to link the account.',
    'Abra esta página para vincular a conta.',
    'Abre esta página para vincular la cuenta.',
  ],
})

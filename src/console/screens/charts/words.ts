import { phrases } from '../../core/language.ts'

export const say = phrases({
  accepted: ['Accepted', 'Aceitas', 'Aceptados'],
  counted_until: ['Counted until', 'Contado até', 'Contado hasta'],
  day_7: ['7 days', '7 dias', '7 días'],
  day_30: ['30 days', '30 dias', '30 días'],
  day_365: ['A year', 'Um ano', 'Un año'],
  delivered: ['Delivered', 'Entregues', 'Entregados'],
  empty: [
    'Nothing was sent or received in this time.',
    'Nada foi enviado nem recebido nesse período.',
    'No se envió ni recibió nada en ese tiempo.',
  ],
  failed: ['Failed', 'Falharam', 'Fallidos'],
  hour_24: ['24 hours', '24 horas', '24 horas'],
  in_numbers: ['In numbers', 'Em números', 'En números'],
  latency: ['Seconds until sent', 'Segundos até o envio', 'Segundos hasta el envío'],
  latency_hint: [
    'Half of the messages, and 95% of them, were sent within this time, counted from when they were accepted or scheduled for.',
    'Metade das mensagens, e 95% delas, foram enviadas dentro desse tempo, contado do aceite ou do horário agendado.',
    'La mitad de los mensajes, y el 95 % de ellos, se enviaron en ese tiempo, contado desde que se aceptaron o desde la hora programada.',
  ],
  messages: ['Messages', 'Mensagens', 'Mensajes'],
  p50: ['Half', 'Metade', 'La mitad'],
  p95: ['95%', '95%', '95 %'],
  period: ['Period', 'Período', 'Periodo'],
  queue: ['Queue now', 'Fila agora', 'Cola ahora'],
  read: ['Read', 'Lidas', 'Leídos'],
  received: ['Received', 'Recebidas', 'Recibidos'],
  sent: ['Sent', 'Enviadas', 'Enviados'],
  title: ['Charts', 'Gráficos', 'Gráficos'],
  waiting: [
    { one: '{count} waiting message', other: '{count} waiting messages' },
    { one: '{count} mensagem em espera', other: '{count} mensagens em espera' },
    { one: '{count} mensaje en espera', other: '{count} mensajes en espera' },
  ],
})

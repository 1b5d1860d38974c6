import { phrases } from '../core/language.ts'

/** What is said about all quotas. */
export const say = phrases({
  limit: ['Limit', 'Limite', 'Límite'],
  no_limit: ['no limit', 'sem limite', 'sin límite'],
  title: ['Quotas', 'Cotas', 'Cuotas'],
  used: ['Used', 'Em uso', 'En uso'],
})

/** What a quota is of. */
export const sayQuota = phrases({
  file_bytes: ['Stored files', 'Arquivos armazenados', 'Archivos almacenados'],
  stored_bytes: ['Stored messages', 'Mensagens armazenadas', 'Mensajes almacenados'],
  unsettled_messages: ['Waiting messages', 'Mensagens em espera', 'Mensajes en espera'],
  incoming_messages: ['Incoming messages', 'Mensagens recebidas', 'Mensajes recibidos'],
  waiting_callbacks: ['Waiting callbacks', 'Callbacks em espera', 'Callbacks en espera'],
  waiting_callback_bytes: [
    'Size of waiting callbacks',
    'Tamanho dos callbacks em espera',
    'Tamaño de los callbacks en espera',
  ],
})

import type { InstanceStatus, MessageStatus } from '../../../contract/statuses.ts'
import { phrases } from '../core/language.ts'

/** What a status means at a glance; it is also said in words, never by colour alone. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'idle'

export const sayInstanceStatus = phrases({
  connecting: ['Connecting', 'Conectando', 'Conectando'],
  awaiting_link: ['Waiting to be linked', 'Aguardando vínculo', 'Esperando vinculación'],
  connected: ['Connected', 'Conectada', 'Conectada'],
  reconnecting: ['Reconnecting', 'Reconectando', 'Reconectando'],
  logged_out: ['Logged out', 'Sessão encerrada', 'Sesión cerrada'],
  stopped: ['Stopped', 'Parada', 'Detenida'],
  failed: ['Failed', 'Falhou', 'Con error'],
  deleting: ['Being removed', 'Removendo', 'Eliminando'],
})

export const instanceTones: Readonly<Record<InstanceStatus, Tone>> = {
  connecting: 'busy',
  awaiting_link: 'attention',
  connected: 'good',
  reconnecting: 'busy',
  logged_out: 'bad',
  stopped: 'idle',
  failed: 'bad',
  deleting: 'busy',
}

/** What a person can do about an instance in this status. */
export const sayNextStep = phrases({
  connecting: [
    'Posthorn is connecting. There is nothing to do.',
    'O Posthorn está se conectando. Não há nada a fazer.',
    'Posthorn se está conectando. No hay nada que hacer.',
  ],
  awaiting_link: [
    'Link the account with your phone.',
    'Vincule a conta com o seu celular.',
    'Vincula la cuenta con tu teléfono.',
  ],
  connected: ['There is nothing to do.', 'Não há nada a fazer.', 'No hay nada que hacer.'],
  reconnecting: [
    'Posthorn tries again by itself.',
    'O Posthorn tenta de novo automaticamente.',
    'Posthorn lo reintenta automáticamente.',
  ],
  logged_out: [
    'Replace the credentials, or link the account again.',
    'Substitua as credenciais ou vincule a conta de novo.',
    'Reemplaza las credenciales o vuelve a vincular la cuenta.',
  ],
  stopped: [
    'Start it to send and receive again.',
    'Inicie-a para voltar a enviar e receber.',
    'Iníciala para volver a enviar y recibir.',
  ],
  failed: [
    'Fix the cause, then start it.',
    'Resolva a causa e depois inicie-a.',
    'Resuelve la causa y después iníciala.',
  ],
  deleting: [
    'Posthorn is waiting for the network to confirm.',
    'O Posthorn aguarda a confirmação da rede.',
    'Posthorn espera la confirmación de la red.',
  ],
})

export const sayMessageStatus = phrases({
  queued: ['Queued', 'Na fila', 'En cola'],
  sending: ['Sending', 'Enviando', 'Enviando'],
  sent: ['Sent', 'Enviada', 'Enviado'],
  delivered: ['Delivered', 'Entregue', 'Entregado'],
  read: ['Read', 'Lida', 'Leído'],
  failed: ['Failed', 'Falhou', 'Fallido'],
  expired: ['Expired', 'Expirada', 'Expirado'],
  canceled: ['Canceled', 'Cancelada', 'Cancelado'],
  unknown: ['Unknown', 'Incerta', 'Incierto'],
  received: ['Received', 'Recebida', 'Recibido'],
})

export const messageTones: Readonly<Record<MessageStatus, Tone>> = {
  queued: 'idle',
  sending: 'busy',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  expired: 'bad',
  canceled: 'idle',
  unknown: 'attention',
  received: 'idle',
}

/** Every status that an instance can have, and a message. */
export const instanceStatuses = Object.keys(instanceTones) as InstanceStatus[]
export const messageStatuses = Object.keys(messageTones) as MessageStatus[]

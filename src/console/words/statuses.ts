import type { InstanceStatus, MessageStatus } from '../../contract/statuses.ts'
import { phrases } from '../core/language.ts'

/** What a status means at a glance; it is also said in words, never by colour alone. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'idle'

export const sayInstanceStatus = phrases({
  connecting: ['Connecting', 'Conectando', 'Conectando'],
  awaiting_link: ['Waiting to be linked', 'Aguardando vínculo', 'Esperando vinculación'],
  connected: ['Connected', 'Conectada', 'Conectada'],
  reconnecting: ['Reconnecting', 'Reconectando', 'Reconectando'],
  logged_out: ['Logged out', 'Desconectada da conta', 'Sesión cerrada'],
  stopped: ['Stopped', 'Parada', 'Detenida'],
  failed: ['Failed', 'Falhou', 'Falló'],
  deleting: ['Being removed', 'Sendo removida', 'Eliminándose'],
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

export const sayMessageStatus = phrases({
  queued: ['Queued', 'Na fila', 'En cola'],
  sending: ['Sending', 'Enviando', 'Enviando'],
  sent: ['Sent', 'Enviada', 'Enviado'],
  delivered: ['Delivered', 'Entregue', 'Entregado'],
  read: ['Read', 'Lida', 'Leído'],
  failed: ['Failed', 'Falhou', 'Falló'],
  expired: ['Expired', 'Expirada', 'Caducado'],
  canceled: ['Canceled', 'Cancelada', 'Cancelado'],
  unknown: ['Unknown', 'Desconhecida', 'Desconocido'],
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

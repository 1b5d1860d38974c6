export const networkFields = {
  pacing: 'Ritmo de envío',
  messages: 'Mensajes',
  seconds: 'Segundos',
  pause: 'Pausa',
  min_seconds: 'Como mínimo, en segundos',
  max_seconds: 'Como máximo, en segundos',
  warm_up: 'Calentamiento',
  off: 'Desactivado',
} as const

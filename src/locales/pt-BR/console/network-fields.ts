export const networkFields = {
  pacing: 'Ritmo de envio',
  messages: 'Mensagens',
  seconds: 'Segundos',
  pause: 'Pausa',
  min_seconds: 'No mínimo, em segundos',
  max_seconds: 'No máximo, em segundos',
  warm_up: 'Aquecimento',
  off: 'Desativado',
} as const

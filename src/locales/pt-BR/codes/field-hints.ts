/** Meanings of the fields that every network has. */
export const fieldHints = {
  pacing:
    'Com que rapidez as mensagens podem sair, em vez do padrão da rede: um número de mensagens por tempo, uma pausa depois de cada uma, ou sem limite.',
  messages: 'No máximo este número de mensagens…',
  seconds: '… neste número de segundos.',
  pause: 'Uma pausa depois de cada mensagem, de duração aleatória entre estas.',
  min_seconds: 'A pausa mais curta.',
  max_seconds: 'A pausa mais longa.',
  warm_up: 'Se as pausas são mais longas nos primeiros dias depois do vínculo. Esse é o padrão.',
  off: 'Sim, se as mensagens podem sair sem limite de ritmo.',
} as const

/** Meanings of the fields that every network has. */
export const fieldHints = {
  pacing:
    'Con qué rapidez pueden salir los mensajes, en vez del valor predeterminado de la red: un número de mensajes por tiempo, una pausa tras cada uno, o sin límite.',
  messages: 'Como máximo este número de mensajes…',
  seconds: '… en este número de segundos.',
  pause: 'Una pausa tras cada mensaje, de duración aleatoria entre estas.',
  min_seconds: 'La pausa más corta.',
  max_seconds: 'La pausa más larga.',
  warm_up:
    'Si las pausas son más largas en los primeros días después de la vinculación. Es lo predeterminado.',
  off: 'Sí, si los mensajes pueden salir sin límite de ritmo.',
} as const

/** Ways in which several networks depart from what they were asked for. */
export const notices = {
  sent_as_document: 'La red no muestra este tipo de archivo como se pidió, y se envió como documento.',
  sent_as_audio: 'La red no acepta el archivo como nota de voz, y se envió como audio.',
} as const

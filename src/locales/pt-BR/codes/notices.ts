/** Ways in which several networks depart from what they were asked for. */
export const notices = {
  sent_as_document:
    'A rede não mostra este tipo de arquivo como foi pedido, e ele foi enviado como documento.',
  sent_as_audio: 'A rede não aceita o arquivo como mensagem de voz, e ele foi enviado como áudio.',
} as const

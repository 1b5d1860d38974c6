import type { MessageDirection } from '../../../contract/resources/message.ts'
import { phrases } from '../core/language.ts'

export const sayDirection = phrases({
  outbound: ['Outgoing', 'Saída', 'Saliente'],
  inbound: ['Incoming', 'Entrada', 'Entrante'],
})

export const sayKind = phrases({
  text: ['Text', 'Texto', 'Texto'],
  document: ['Document', 'Documento', 'Documento'],
  audio: ['Audio', 'Áudio', 'Audio'],
  image: ['Image', 'Imagem', 'Imagen'],
  template: ['Template', 'Modelo', 'Plantilla'],
  reaction: ['Reaction', 'Reação', 'Reacción'],
  retraction: ['Deleted by its sender', 'Apagada por quem enviou', 'Eliminado por quien lo envió'],
  unsupported: ['Unsupported', 'Não compatível', 'No compatible'],
})

/** What a message is to the one that it refers to. */
export const sayRelation = phrases({
  correction: ['Corrects', 'Corrige', 'Corrige'],
  reply: ['Reply to', 'Resposta a', 'Respuesta a'],
  reaction: ['Reaction to', 'Reação a', 'Reacción a'],
  retraction: ['Deletes', 'Apaga', 'Elimina'],
})

/** What every screen about messages says. */
export const sayMessage = phrases({
  another_message: ['another message', 'outra mensagem', 'otro mensaje'],
  cancel_message: ['Cancel the message', 'Cancelar a mensagem', 'Cancelar el mensaje'],
  client_ref: ['Your reference', 'Sua referência', 'Tu referencia'],
  content: ['Content', 'Conteúdo', 'Contenido'],
  conversation: ['Conversation', 'Conversa', 'Conversación'],
  direction: ['Direction', 'Sentido', 'Sentido'],
  download: ['Download {name}', 'Baixar {name}', 'Descargar {name}'],
  file: ['File', 'Arquivo', 'Archivo'],
  file_gone: [
    'The file is no longer kept.',
    'O arquivo não está mais disponível.',
    'El archivo ya no está disponible.',
  ],
  file_pending: [
    'The file has not been fetched yet.',
    'O Posthorn ainda não baixou o arquivo.',
    'Posthorn aún no ha descargado el archivo.',
  ],
  from: ['From', 'De', 'De'],
  kind: ['Kind', 'Tipo', 'Tipo'],
  reactions_removed: ['Reaction removed', 'Reação removida', 'Reacción eliminada'],
  send_message: ['Send a message', 'Enviar uma mensagem', 'Enviar un mensaje'],
  show_file: ['Show {name}', 'Mostrar {name}', 'Mostrar {name}'],
  text: ['Text', 'Texto', 'Texto'],
  to: ['To', 'Para', 'Para'],
  to_or_from: ['To or from', 'Para ou de', 'Para o de'],
  undecryptable: [
    'This message could not be decrypted. Its sender was asked to send it again.',
    'Não foi possível decifrar esta mensagem. Pediu-se a quem a enviou que a envie de novo.',
    'No se pudo descifrar este mensaje. Se pidió a quien lo envió que lo envíe otra vez.',
  ],
  unsupported: [
    'This content cannot be shown: {type}',
    'Este conteúdo não pode ser exibido: {type}',
    'Este contenido no se puede mostrar: {type}',
  ],
})

export const messageDirections: readonly MessageDirection[] = ['outbound', 'inbound']

import type { MediaErrorCode, MessageErrorCode } from '../../../contract/codes.ts'
import type { Translation } from '../core/translation.ts'

/** Why files and messages fail on any network. */
export const commonErrorWords: Readonly<Record<MediaErrorCode | MessageErrorCode, Translation>> = {
  media_unreachable: [
    'Não foi possível baixar o arquivo. Verifique a URL.',
    'No se pudo descargar el archivo. Verifica la URL.',
  ],
  media_timeout: [
    'O download do arquivo demorou demais. Envie-o deste computador.',
    'La descarga del archivo tardó demasiado. Envíalo desde este equipo.',
  ],
  media_refused: [
    'O Posthorn não pode baixar nada desta URL. Informe outra ou envie o arquivo deste computador.',
    'Posthorn no puede descargar nada de esta URL. Indica otra o envía el archivo desde este equipo.',
  ],
  media_not_kept: [
    'O arquivo foi recebido, mas não pôde ser guardado. Se o problema persistir, avise o operador.',
    'El archivo se recibió, pero no se pudo guardar. Si el problema persiste, avisa al operador.',
  ],
  files_quota_exceeded: [
    'O arquivo ultrapassaria a cota de arquivos da organização. Libere espaço.',
    'El archivo superaría la cuota de archivos de la organización. Libera espacio.',
  ],
  media_too_large: [
    'O arquivo é grande demais. Envie um menor.',
    'El archivo es demasiado grande. Envía uno más pequeño.',
  ],
  media_type_mismatch: [
    'O conteúdo do arquivo não corresponde ao tipo com que foi enviado. Envie-o como documento.',
    'El contenido del archivo no corresponde al tipo con que se envió. Envíalo como documento.',
  ],
  voice_too_long: [
    'O áudio é longo demais para uma mensagem de voz. Envie um mais curto ou envie-o como áudio comum.',
    'El audio es demasiado largo para una nota de voz. Envía uno más corto o envíalo como audio normal.',
  ],
  voice_queue_full: [
    'Há mensagens de voz demais aguardando conversão. Tente mais tarde ou envie OGG com Opus.',
    'Hay demasiadas notas de voz esperando su conversión. Inténtalo más tarde o envía OGG con Opus.',
  ],
  voice_not_convertible: [
    'O áudio não pôde ser convertido em mensagem de voz. Envie OGG com Opus.',
    'El audio no se pudo convertir en nota de voz. Envía OGG con Opus.',
  ],
  outside_reply_window: [
    'O destinatário escreveu há tempo demais, e a rede só permite responder por um prazo. Envie um modelo, se a rede tiver, ou espere até ele escrever de novo.',
    'El destinatario escribió hace demasiado tiempo, y la red solo permite responder durante un plazo. Envía una plantilla, si la red las tiene, o espera a que vuelva a escribir.',
  ],
  held_after_restore: [
    'O servidor foi restaurado de um backup em que o envio da mensagem não estava concluído. Ela pode ter sido enviada depois do backup; o operador decide se a envia.',
    'El servidor se restauró desde una copia de seguridad en la que el envío del mensaje no había concluido. Puede haberse enviado después de la copia; el operador decide si se envía.',
  ],
}

/** Why networks refuse recipients; what several have in common is said in the same way. */
export const recipientErrorWords = {
  recipient_unknown: [
    'O destinatário não existe nesta rede. Verifique o endereço.',
    'El destinatario no existe en esta red. Verifica la dirección.',
  ],
  recipient_busy: [
    'O destinatário não pode receber mensagens no momento.',
    'El destinatario no puede recibir mensajes en este momento.',
  ],
  recipient_gone: [
    'O endereço do destinatário não está mais em uso. Peça outro a ele.',
    'La dirección del destinatario ya no se usa. Pídele otra.',
  ],
  recipient_not_started: [
    'A pessoa nunca escreveu para o bot. Peça que ela abra a conversa e toque em Iniciar.',
    'La persona nunca le escribió al bot. Pídele que abra el chat y toque Iniciar.',
  ],
  recipient_blocked: ['A pessoa bloqueou o bot.', 'La persona bloqueó el bot.'],
  bot_removed: [
    'O bot não está nesse grupo ou canal, ou foi removido dele. Peça a um administrador que o adicione.',
    'El bot no está en ese grupo o canal, o lo eliminaron de ahí. Pídele a un administrador que lo agregue.',
  ],
  not_allowed: [
    'A conta não pode escrever para este destinatário. Peça permissão a ele ou a um administrador.',
    'La cuenta no puede escribir a este destinatario. Pídele permiso a él o a un administrador.',
  ],
  recipient_unreachable: [
    'A rede não consegue entregar a esta pessoa.',
    'La red no puede entregar a esta persona.',
  ],
  recipient_is_sender: [
    'A mensagem é dirigida ao próprio número que a envia.',
    'El mensaje va dirigido al mismo número que lo envía.',
  ],
  recipient_not_allowed: [
    'Um número de teste só pode escrever para os números da lista dele. Adicione o destinatário à lista na Meta.',
    'Un número de prueba solo puede escribir a los números de su lista. Agrega al destinatario a la lista en Meta.',
  ],
  recipient_opted_out: [
    'A pessoa não quer mensagens de marketing desta empresa.',
    'La persona no quiere mensajes de marketing de esta empresa.',
  ],
  recipient_limit_reached: [
    'A rede limita as mensagens de marketing que a pessoa recebe e não entregou esta. Não envie outra por pelo menos um dia.',
    'La red limita los mensajes de marketing que recibe la persona y no entregó este. No envíes otro durante al menos un día.',
  ],
  recipient_in_experiment: [
    'A rede não entregou a mensagem porque a pessoa participa de um experimento da Meta.',
    'La red no entregó el mensaje porque la persona participa en un experimento de Meta.',
  ],
  recipient_changed: [
    'A identidade da pessoa mudou. Certifique-se de que ainda é a mesma pessoa.',
    'La identidad de la persona cambió. Asegúrate de que sigue siendo la misma persona.',
  ],
  user_id_not_supported: [
    'A rede não aceita um ID de usuário para esta mensagem. Use o número de telefone da pessoa.',
    'La red no acepta un ID de usuario para este mensaje. Usa el número de teléfono de la persona.',
  ],
  voice_not_accepted: [
    'A pessoa não aceita mensagens de voz. Envie como áudio, sem `voice`.',
    'La persona no acepta notas de voz. Envíala como audio, sin `voice`.',
  ],
  topic_closed: [
    'O tópico do grupo está fechado. Peça a um administrador que o abra.',
    'El tema del grupo está cerrado. Pide a un administrador que lo abra.',
  ],
  group_unusable: [
    'A Meta não conhece este grupo para o número, suspendeu o grupo, ou não há mais ninguém nele. Verifique o grupo.',
    'Meta no conoce este grupo para el número, lo suspendió, o no queda nadie más en él. Revisa el grupo.',
  ],
  country_restricted: [
    'A conta comercial não pode escrever para pessoas neste país.',
    'La cuenta comercial no puede escribir a personas de este país.',
  ],
  recipient_not_on_network: [
    'O número não tem conta nesta rede. Verifique-o: muitos envios a números sem conta levam a restrições.',
    'El número no tiene cuenta en esta red. Verifícalo: muchos envíos a números sin cuenta llevan a restricciones.',
  ],
  recipient_refused: [
    'A rede não deixa esta conta escrever para o destinatário, que talvez não a conheça. Espere até que ele escreva.',
    'La red no deja que esta cuenta escriba al destinatario, que quizá no la conozca. Espera a que escriba.',
  ],
  reach_out_restricted: [
    'A rede não deixa a conta escrever para novos contatos por um tempo, porque ela já escreveu para muitos.',
    'La red no deja que la cuenta les escriba a contactos nuevos por un tiempo, porque ya les escribió a muchos.',
  ],
  new_chats_limit: [
    'A conta já escreveu para todos os novos contatos que a rede permite por um tempo.',
    'La cuenta ya escribió a todos los contactos nuevos que la red permite por un tiempo.',
  ],
  not_in_group: [
    'Esse grupo não existe, ou a conta não está nele ou não pode escrever nele. Peça a um administrador do grupo que a adicione.',
    'Ese grupo no existe, o la cuenta no está en él o no puede escribir en él. Pídele a un administrador del grupo que la agregue.',
  ],
  recipient_unavailable: [
    'O destinatário não existe, ou está offline e o servidor dele não guarda mensagens.',
    'El destinatario no existe, o está desconectado y su servidor no guarda mensajes.',
  ],
  recipient_moved: [
    'O destinatário agora tem outro endereço. Peça o novo a ele.',
    'El destinatario tiene ahora otra dirección. Pídele la nueva.',
  ],
  address_malformed: [
    'Um servidor no caminho não aceitou o endereço do destinatário.',
    'Un servidor intermedio no aceptó la dirección del destinatario.',
  ],
  remote_server_not_found: [
    'O servidor do destinatário não foi encontrado. Verifique o domínio do endereço.',
    'No se encontró el servidor del destinatario. Verifica el dominio de la dirección.',
  ],
  remote_server_timeout: [
    'O servidor do destinatário não respondeu a tempo.',
    'El servidor del destinatario no respondió a tiempo.',
  ],
  not_authorized: [
    'A conta precisa de permissão para escrever para este destinatário.',
    'La cuenta necesita permiso para escribir a este destinatario.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

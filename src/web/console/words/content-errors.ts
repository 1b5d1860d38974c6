import type { Translation } from '../core/translation.ts'

/** Why networks refuse what is sent, or take nothing at the moment; what several have in common is said in the same way. */
export const contentErrorWords = {
  message_refused: [
    'A rede recusou a mensagem. Altere-a ou escolha outro destinatário.',
    'La red rechazó el mensaje. Cámbialo o elige otro destinatario.',
  ],
  slow_down: [
    'A rede pediu que esta mensagem seja enviada mais tarde.',
    'La red pidió que este mensaje se envíe más tarde.',
  ],
  too_many_messages: [
    'A rede pediu que todas as mensagens da conta sejam enviadas mais tarde.',
    'La red pidió que todos los mensajes de la cuenta se envíen más tarde.',
  ],
  account_restricted: [
    'A conta está restrita no momento. A mensagem será enviada quando a restrição acabar.',
    'La cuenta está restringida en este momento. El mensaje se enviará cuando acabe la restricción.',
  ],
  answer_wrong: ['Este não é o código que a rede enviou.', 'Este no es el código que envió la red.'],
  transfer_broken: [
    'A conexão terminou antes que o arquivo inteiro fosse enviado.',
    'La conexión terminó antes de que se enviara el archivo entero.',
  ],
  template_unknown: [
    'A conta não tem um modelo aprovado com este nome neste idioma.',
    'La cuenta no tiene ninguna plantilla aprobada con este nombre en este idioma.',
  ],
  template_parameters_wrong: [
    'Os componentes não correspondem ao modelo: há parâmetros demais, de menos ou de outro tipo.',
    'Los componentes no encajan con la plantilla: sobran o faltan parámetros, o son de otro tipo.',
  ],
  template_too_long: [
    'Com estes parâmetros, o texto do modelo fica longo demais.',
    'Con estos parámetros, el texto de la plantilla es demasiado largo.',
  ],
  template_policy: [
    'Com estes parâmetros, o texto do modelo viola uma política da rede.',
    'Con estos parámetros, el texto de la plantilla infringe una política de la red.',
  ],
  template_paused: [
    'A rede pausou o modelo porque os destinatários não gostaram do que receberam.',
    'La red pausó la plantilla porque a los destinatarios no les gustó lo que recibieron.',
  ],
  template_disabled: ['A rede desativou o modelo.', 'La red desactivó la plantilla.'],
  template_refused: [
    'A rede se recusou a enviar uma mensagem a partir deste modelo.',
    'La red se negó a enviar un mensaje a partir de esta plantilla.',
  ],
  file_unreadable: [
    'O arquivo guardado não pôde ser lido. Se o problema persistir, avise o operador.',
    'El archivo guardado no se pudo leer. Si el problema persiste, avisa al operador.',
  ],
  file_missing: [
    'O arquivo guardado não existe mais ou está incompleto. Envie-o de novo e avise o operador.',
    'El archivo guardado ya no existe o está incompleto. Envíalo de nuevo y avisa al operador.',
  ],
  file_altered: [
    'O arquivo guardado não é mais igual ao que foi aceito. Envie-o de novo e avise o operador.',
    'El archivo guardado ya no es igual al que se aceptó. Envíalo de nuevo y avisa al operador.',
  ],
  text_too_long: [
    'O texto ou a legenda passa do tamanho que a rede permite.',
    'El texto o la leyenda supera la longitud que permite la red.',
  ],
  text_empty: ['O texto só contém espaços.', 'El texto solo contiene espacios.'],
  text_not_representable: [
    'O texto, a legenda ou o nome do arquivo contém um caractere que a rede não transmite.',
    'El texto, la leyenda o el nombre del archivo contiene un carácter que la red no transmite.',
  ],
  file_too_large: [
    'O arquivo é maior do que a rede aceita. Envie um menor.',
    'El archivo es mayor de lo que acepta la red. Envía uno más pequeño.',
  ],
  file_empty: ['A rede não aceita arquivos vazios.', 'La red no acepta archivos vacíos.'],
  rate_limited: [
    'A rede limita quantas mensagens podem ser enviadas no momento.',
    'La red limita cuántos mensajes se pueden enviar en este momento.',
  ],
  not_connected: ['A instância não estava conectada.', 'La instancia no estaba conectada.'],
  network_unreachable: ['A rede estava inacessível.', 'No se podía acceder a la red.'],
  upload_interrupted: [
    'A conexão terminou antes que o arquivo inteiro fosse enviado.',
    'La conexión terminó antes de que se enviara el archivo entero.',
  ],
  token_refused: [
    'A rede recusou o token de acesso, ou falta uma permissão a ele.',
    'La red rechazó el token de acceso, o a este le falta un permiso.',
  ],
  answer_unusable: ['A resposta não veio da rede.', 'La respuesta no vino de la red.'],
  message_invalid: [
    'A rede não aceita um parâmetro da mensagem.',
    'La red no acepta un parámetro del mensaje.',
  ],
  message_type_not_supported: [
    'A rede não aceita este tipo de mensagem.',
    'La red no admite este tipo de mensaje.',
  ],
  caption_not_supported: [
    'A rede não aceita legendas em áudios. Envie a legenda como texto.',
    'La red no admite leyendas en los audios. Envía la leyenda como texto.',
  ],
  file_type_not_supported: [
    'A rede não aceita este tipo de arquivo como este tipo de mensagem. Converta o arquivo.',
    'La red no acepta este tipo de archivo como este tipo de mensaje. Convierte el archivo.',
  ],
  file_refused: [
    'A rede não conseguiu usar o arquivo. Verifique o tipo e o tamanho.',
    'La red no pudo usar el archivo. Verifica el tipo y el tamaño.',
  ],
  templates_refused: [
    'A Meta não informou quais modelos a conta comercial tem. Verifique o ID da conta e as permissões do token.',
    'Meta no dijo qué plantillas tiene la cuenta comercial. Verifica el ID de la cuenta y los permisos del token.',
  ],
  recipient_rate_limited: [
    'Este número enviou mensagens demais para esta pessoa em pouco tempo. A mensagem será enviada daqui a pouco.',
    'Este número envió demasiados mensajes a esta persona en poco tiempo. El mensaje se enviará en breve.',
  ],
  number_rate_limited: [
    'O número envia mais mensagens por segundo do que a rede permite. A mensagem será enviada em alguns segundos.',
    'El número envía más mensajes por segundo de los que permite la red. El mensaje se enviará en unos segundos.',
  ],
  account_rate_limited: [
    'O app ou a conta comercial fez requisições demais. A mensagem será enviada em alguns minutos.',
    'La app o la cuenta comercial hizo demasiadas solicitudes. El mensaje se enviará en unos minutos.',
  ],
  spam_limit: [
    'A rede restringe o número porque muitas das mensagens dele foram bloqueadas ou denunciadas. Nada é enviado por uma hora.',
    'La red restringe el número porque se bloquearon o denunciaron demasiados de sus mensajes. No se envía nada durante una hora.',
  ],
  policy_block: [
    'A rede bloqueou a conta por um tempo porque ela violou uma política. Nada é enviado por uma hora.',
    'La red bloqueó la cuenta por un tiempo porque infringió una política. No se envía nada durante una hora.',
  ],
  messaging_limit: [
    'A conta atingiu o número de pessoas a quem pode escrever primeiro.',
    'La cuenta alcanzó el número de personas a las que puede escribir primero.',
  ],
  flow_rate_limited: [
    'O fluxo do modelo já foi enviado dez vezes em uma hora: a Meta não permite mais enquanto ele falhar com frequência. A mensagem será enviada depois de uma hora.',
    'El flujo de la plantilla ya se envió diez veces en una hora: Meta no permite más mientras falle a menudo. El mensaje se enviará pasada una hora.',
  ],
  group_rate_limited: [
    'Este número fez coisas demais em grupos em pouco tempo. A mensagem será enviada depois de um tempo.',
    'Este número hizo demasiadas cosas en grupos en poco tiempo. El mensaje se enviará más tarde.',
  ],
  refused_for_now: [
    'A Meta recusou a mensagem e disse que a causa passa. A mensagem será enviada depois de um tempo.',
    'Meta rechazó el mensaje y dijo que la causa pasará. El mensaje se enviará más tarde.',
  ],
  payment_problem: [
    'A rede não envia por um problema com o pagamento da conta comercial. Verifique a forma de pagamento na Meta.',
    'La red no envía por un problema con el pago de la cuenta comercial. Verifica la forma de pago en Meta.',
  ],
  number_not_ready: [
    'O nome de exibição ou o certificado do número não foi aprovado.',
    'El nombre visible o el certificado del número no está aprobado.',
  ],
  number_in_maintenance: ['O número está em manutenção.', 'El número está en mantenimiento.'],
  number_refused: [
    'A rede não deixa o número enviar. O status da instância diz por quê.',
    'La red no deja enviar al número. El estado de la instancia dice por qué.',
  ],
  server_error: [
    'Houve uma falha no servidor da rede, que não aceitou a mensagem.',
    'El servidor de la red falló y no aceptó el mensaje.',
  ],
  upload_failed: [
    'O arquivo não pôde ser enviado à rede, e nada chegou ao destinatário.',
    'El archivo no se pudo subir a la red, y no llegó nada al destinatario.',
  ],
  not_cloud_api: ['A resposta não veio da Cloud API.', 'La respuesta no vino de la Cloud API.'],
  upload_refused: [
    'A rede recusou o arquivo, e nada foi enviado.',
    'La red rechazó el archivo, y no se envió nada.',
  ],
  message_malformed: [
    'A rede não entendeu a mensagem. Envie uma nova; se falhar de novo, avise o operador.',
    'La red no entendió el mensaje. Envía uno nuevo; si vuelve a fallar, avisa al operador.',
  ],
  not_acceptable: [
    'O lado do destinatário não aceitou a mensagem.',
    'El lado del destinatario no aceptó el mensaje.',
  ],
  not_supported: [
    'O lado do destinatário não aceita mensagens deste tipo.',
    'El lado del destinatario no admite mensajes de este tipo.',
  ],
  policy_violation: [
    'A mensagem viola uma regra de um servidor no caminho.',
    'El mensaje infringe una regla de un servidor intermedio.',
  ],
  conflict: [
    'Um servidor no caminho relatou um conflito entre esta mensagem e outra.',
    'Un servidor intermedio señaló un conflicto entre este mensaje y otro.',
  ],
  undefined_condition: [
    'A mensagem foi recusada por um motivo desconhecido.',
    'El mensaje se rechazó por un motivo desconocido.',
  ],
  upload_unavailable: [
    'O servidor da conta não tem um serviço de upload de arquivos. Fale com o operador dele ou envie um texto com um link.',
    'El servidor de la cuenta no tiene servicio de subida de archivos. Consulta a su operador o envía un texto con un enlace.',
  ],
  upload_address_not_allowed: [
    'O servidor da conta quer receber o arquivo em um endereço ao qual o operador não deixa as instâncias se conectarem (POSTHORN_CONNECT_ALLOW_CIDRS).',
    'El servidor de la cuenta quiere recibir el archivo en una dirección a la que el operador no deja conectarse a las instancias (POSTHORN_CONNECT_ALLOW_CIDRS).',
  ],
  upload_slot_unusable: [
    'O servidor da conta não ofereceu uma URL de upload que o Posthorn possa usar. Fale com o operador dele.',
    'El servidor de la cuenta no ofreció una URL de subida que Posthorn pueda usar. Consulta a su operador.',
  ],
  upload_deferred: [
    'O servidor da conta não aceita arquivos no momento.',
    'El servidor de la cuenta no acepta archivos en este momento.',
  ],
  upload_timeout: ['O arquivo não foi enviado a tempo.', 'El archivo no se subió a tiempo.'],
} as const satisfies Readonly<Record<string, Translation>>

/** What networks did otherwise than it was asked for. */
export const noticeWords = {
  sent_silently: ['A rede entregou a mensagem sem som.', 'La red entregó el mensaje sin sonido.'],
  sent_as_document: [
    'A rede não mostra este tipo de arquivo como foi pedido, e ele foi enviado como documento.',
    'La red no muestra este tipo de archivo como se pidió, y se envió como documento.',
  ],
  sent_as_audio: [
    'A rede não aceita o arquivo como mensagem de voz, e ele foi enviado como áudio.',
    'La red no acepta el archivo como nota de voz, y se envió como audio.',
  ],
  recipient_moved: [
    'O grupo tem um novo endereço, e a mensagem foi enviada para lá. Use-o de agora em diante.',
    'El grupo tiene una nueva dirección, y el mensaje se envió allí. Úsala de ahora en adelante.',
  ],
  held_for_quality_assessment: [
    'A rede aceitou a mensagem, mas a retém para ver como as pessoas recebem outras iguais.',
    'La red aceptó el mensaje, pero lo retiene para ver cómo recibe la gente otros iguales.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

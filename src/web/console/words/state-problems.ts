import type { MetProblem, ProblemWords } from './problem-words.ts'

/** Problems of the moment: something is taken, used up, gone, busy or broken. */
export const stateProblems = {
  request_timeout: {
    title: [
      'The request arrived too slowly.',
      'A requisição chegou devagar demais.',
      'La solicitud llegó demasiado despacio.',
    ],
    next: [
      'Try again over a faster connection.',
      'Tente de novo com uma conexão mais rápida.',
      'Vuelve a intentarlo con una conexión más rápida.',
    ],
  },
  instance_name_taken: {
    title: [
      'Another instance has this name.',
      'Outra instância tem esse nome.',
      'Otra instancia tiene ese nombre.',
    ],
    next: [
      'Choose another name, or wait until that instance is gone.',
      'Escolha outro nome ou espere até essa instância ser removida.',
      'Elige otro nombre o espera a que esa instancia se elimine.',
    ],
  },
  instance_limit_reached: {
    title: [
      'The organization has reached its limit of instances.',
      'A organização atingiu o limite de instâncias.',
      'La organización alcanzó su límite de instancias.',
    ],
    next: [
      'Remove an instance, or ask the operator to raise the limit (POSTHORN_INSTANCE_LIMIT).',
      'Remova uma instância ou peça ao operador que aumente o limite (POSTHORN_INSTANCE_LIMIT).',
      'Elimina una instancia o pídele al operador que aumente el límite (POSTHORN_INSTANCE_LIMIT).',
    ],
  },
  account_in_use: {
    title: [
      'Another instance of your organization uses this account.',
      'Outra instância da sua organização usa esta conta.',
      'Otra instancia de tu organización usa esta cuenta.',
    ],
    next: [
      'Use that one, or remove it first: two connections would disconnect each other.',
      'Use essa instância ou remova-a antes: duas conexões derrubariam uma à outra.',
      'Usa esa instancia o elimínala antes: dos conexiones se desconectarían entre sí.',
    ],
    adds: true,
  },
  instance_deleting: {
    title: [
      'The instance is being removed.',
      'A instância está sendo removida.',
      'La instancia se está eliminando.',
    ],
    next: [
      'It cannot be changed any more. Once it is gone, its name is free.',
      'Ela não pode mais ser alterada. Depois da remoção, o nome fica livre.',
      'Ya no se puede cambiar. Cuando se haya eliminado, su nombre quedará libre.',
    ],
  },
  instance_changed_meanwhile: {
    title: [
      'Others are changing the instance at the same time.',
      'Outras pessoas estão alterando a instância ao mesmo tempo.',
      'Otras personas están cambiando la instancia al mismo tiempo.',
    ],
    next: [
      'Nothing was changed. Try again.',
      'Nada foi alterado. Tente de novo.',
      'No se cambió nada. Inténtalo de nuevo.',
    ],
  },
  organization_name_taken: {
    title: [
      'Another organization has this name.',
      'Outra organização tem esse nome.',
      'Otra organización tiene ese nombre.',
    ],
    next: ['Choose another one.', 'Escolha outro.', 'Elige otro.'],
  },
  key_limit_reached: {
    title: [
      'The organization has reached its limit of keys.',
      'A organização atingiu o limite de chaves.',
      'La organización alcanzó su límite de claves.',
    ],
    next: [
      'Revoke keys that nobody uses.',
      'Revogue as chaves que ninguém usa.',
      'Revoca las claves que nadie usa.',
    ],
  },
  webhook_limit_reached: {
    title: [
      'The organization has reached its limit of webhooks.',
      'A organização atingiu o limite de webhooks.',
      'La organización alcanzó su límite de webhooks.',
    ],
    next: [
      'Remove a webhook, or ask the operator to raise the limit (POSTHORN_WEBHOOK_LIMIT).',
      'Remova um webhook ou peça ao operador que aumente o limite (POSTHORN_WEBHOOK_LIMIT).',
      'Elimina un webhook o pídele al operador que aumente el límite (POSTHORN_WEBHOOK_LIMIT).',
    ],
  },
  webhook_not_enabled: {
    title: ['The webhook is disabled.', 'O webhook está desativado.', 'El webhook está desactivado.'],
    next: ['Enable it, then try again.', 'Ative-o e tente de novo.', 'Actívalo y vuelve a intentarlo.'],
  },
  message_not_cancelable: {
    title: [
      'The message can no longer be canceled.',
      'A mensagem não pode mais ser cancelada.',
      'El mensaje ya no se puede cancelar.',
    ],
    next: [
      'It was handed to the network, or it is settled already.',
      'Ela já foi repassada à rede, ou o envio já foi concluído.',
      'Ya pasó a la red, o su envío ya concluyó.',
    ],
  },
  files_quota_exceeded: {
    title: [
      'The organization has no room for the file.',
      'A organização não tem espaço para o arquivo.',
      'La organización no tiene espacio para el archivo.',
    ],
    next: [
      'Cancel queued messages with files, wait until others are removed, or ask the operator to raise the limit (POSTHORN_FILES_LIMIT).',
      'Cancele mensagens na fila com arquivos, espere até que outros sejam removidos ou peça ao operador que aumente o limite (POSTHORN_FILES_LIMIT).',
      'Cancela mensajes en cola con archivos, espera a que se eliminen otros o pídele al operador que aumente el límite (POSTHORN_FILES_LIMIT).',
    ],
  },
  stored_quota_exceeded: {
    title: [
      'The organization has no room for more messages.',
      'A organização não tem espaço para mais mensagens.',
      'La organización no tiene espacio para más mensajes.',
    ],
    next: [
      'Wait until old messages are removed, or ask the operator to raise the limit (POSTHORN_STORED_LIMIT).',
      'Espere até que as mensagens antigas sejam removidas ou peça ao operador que aumente o limite (POSTHORN_STORED_LIMIT).',
      'Espera a que se eliminen los mensajes antiguos o pídele al operador que aumente el límite (POSTHORN_STORED_LIMIT).',
    ],
  },
  media_pending: {
    title: [
      'The file is still being fetched.',
      'O arquivo ainda está sendo baixado.',
      'El archivo todavía se está descargando.',
    ],
    next: ['Try again in a moment.', 'Tente de novo em instantes.', 'Vuelve a intentarlo en un momento.'],
  },
  idempotency_in_progress: {
    title: [
      'The same request is still being answered.',
      'A mesma requisição ainda está sendo respondida.',
      'La misma solicitud todavía se está respondiendo.',
    ],
    next: ['Try again in a moment.', 'Tente de novo em instantes.', 'Vuelve a intentarlo en un momento.'],
  },
  event_forgotten: {
    title: [
      'The event is no longer kept.',
      'O evento não está mais disponível.',
      'El evento ya no está disponible.',
    ],
    next: [
      'The operator sets how long events are kept (POSTHORN_EVENT_RETENTION_DAYS).',
      'O operador define por quanto tempo os eventos são guardados (POSTHORN_EVENT_RETENTION_DAYS).',
      'El operador define cuánto tiempo se conservan los eventos (POSTHORN_EVENT_RETENTION_DAYS).',
    ],
  },
  cursor_expired: {
    title: [
      'What follows here is no longer kept.',
      'O que vem a partir daqui não está mais disponível.',
      'Lo que sigue a partir de aquí ya no está disponible.',
    ],
    next: [
      'Start again from the beginning.',
      'Comece de novo do início.',
      'Empieza de nuevo desde el principio.',
    ],
  },
  restored: {
    title: [
      'The server was restored from a backup.',
      'O servidor foi restaurado de um backup.',
      'El servidor se restauró desde una copia de seguridad.',
    ],
    next: [
      'Reload the page. The server may not know what was sent after the backup.',
      'Recarregue a página. Talvez o servidor não saiba o que foi enviado depois do backup.',
      'Recarga la página. Puede que el servidor no sepa qué se envió después de la copia.',
    ],
    adds: true,
  },
  body_too_large: {
    title: ['This is too large.', 'Isto é grande demais.', 'Esto es demasiado grande.'],
    next: [
      'Send a smaller file, or less at once.',
      'Envie um arquivo menor ou menos itens por vez.',
      'Envía un archivo más pequeño o menos elementos a la vez.',
    ],
    adds: true,
  },
  misdirected_request: {
    title: [
      'The server does not answer to this name.',
      'O servidor não atende por este nome.',
      'El servidor no responde a este nombre.',
    ],
    next: [
      'Use the URL that the operator gave you, or ask them to add this name to POSTHORN_ALLOWED_HOSTS.',
      'Use a URL que o operador informou ou peça que ele inclua este nome em POSTHORN_ALLOWED_HOSTS.',
      'Usa la URL que te dio el operador o pídele que agregue este nombre a POSTHORN_ALLOWED_HOSTS.',
    ],
  },
  outside_reply_window: {
    title: [
      'The time to answer freely is over.',
      'O prazo para responder livremente acabou.',
      'El plazo para responder libremente terminó.',
    ],
    next: [
      'Send a template, if the network has them, or wait until the recipient writes again.',
      'Envie um modelo, se a rede tiver, ou espere até o destinatário escrever de novo.',
      'Envía una plantilla, si la red las tiene, o espera a que el destinatario vuelva a escribir.',
    ],
    adds: true,
  },
  rate_limited: {
    title: ['Too many requests.', 'Requisições demais.', 'Demasiadas solicitudes.'],
    next: [
      'Wait a moment, then try again.',
      'Aguarde um momento e tente de novo.',
      'Espera un momento y vuelve a intentarlo.',
    ],
  },
  too_many_streams: {
    title: [
      'Too many live connections are open.',
      'Há conexões ao vivo demais abertas.',
      'Hay demasiadas conexiones en vivo abiertas.',
    ],
    next: [
      'Close other tabs of the console, or end some of your waiting requests.',
      'Feche outras abas do console ou encerre algumas das requisições em espera.',
      'Cierra otras pestañas de la consola o termina algunas de las solicitudes en espera.',
    ],
  },
  too_many_waits: {
    title: [
      'Too many requests of the organization are waiting for a result.',
      'Há requisições demais da organização esperando um resultado.',
      'Demasiadas solicitudes de la organización esperan un resultado.',
    ],
    next: ['Try again in a moment.', 'Tente de novo em instantes.', 'Vuelve a intentarlo en un momento.'],
  },
  queue_full: {
    title: [
      'The queue of the instance is full.',
      'A fila da instância está cheia.',
      'La cola de la instancia está llena.',
    ],
    next: [
      'Try again once some messages were sent. If none leave, the status of the instance says why.',
      'Tente de novo depois que algumas mensagens forem enviadas. Se nenhuma sair, o status da instância diz por quê.',
      'Vuelve a intentarlo cuando se hayan enviado algunos mensajes. Si no sale ninguno, el estado de la instancia dice por qué.',
    ],
    adds: true,
  },
  voice_queue_full: {
    title: [
      'Too many voice notes are waiting to be converted.',
      'Há mensagens de voz demais aguardando conversão.',
      'Hay demasiadas notas de voz esperando su conversión.',
    ],
    next: [
      'Try again later, or send OGG with Opus, which needs no conversion.',
      'Tente mais tarde ou envie OGG com Opus, que não precisa de conversão.',
      'Inténtalo más tarde o envía OGG con Opus, que no necesita conversión.',
    ],
  },
  unsettled_quota_exceeded: {
    title: [
      'The organization has reached its limit of waiting messages.',
      'A organização atingiu o limite de mensagens em espera.',
      'La organización alcanzó su límite de mensajes en espera.',
    ],
    next: [
      'Wait until some are sent, cancel some, or ask the operator to raise the limit (POSTHORN_UNSETTLED_LIMIT).',
      'Espere até que algumas sejam enviadas, cancele algumas ou peça ao operador que aumente o limite (POSTHORN_UNSETTLED_LIMIT).',
      'Espera a que se envíen algunos, cancela algunos o pídele al operador que aumente el límite (POSTHORN_UNSETTLED_LIMIT).',
    ],
  },
  headers_too_large: {
    title: [
      'The request headers are too large.',
      'Os cabeçalhos da requisição são grandes demais.',
      'Las cabeceras de la solicitud son demasiado grandes.',
    ],
    next: [
      'Delete the cookies of this site, then sign in again.',
      'Apague os cookies deste site e entre de novo.',
      'Borra las cookies de este sitio y vuelve a iniciar sesión.',
    ],
  },
  internal_error: {
    title: [
      'Posthorn failed internally.',
      'Ocorreu um erro interno no Posthorn.',
      'Se produjo un error interno en Posthorn.',
    ],
    next: [
      'Try again. If that does not help, give the operator the ID of the request below.',
      'Tente de novo. Se não adiantar, informe ao operador o ID da requisição abaixo.',
      'Vuelve a intentarlo. Si no sirve, dale al operador el ID de la solicitud que aparece abajo.',
    ],
  },
  store_unavailable: {
    title: [
      'The database cannot be reached at the moment.',
      'O banco de dados está inacessível no momento.',
      'No se puede acceder a la base de datos en este momento.',
    ],
    next: [
      'Nothing was changed. Try again in a moment.',
      'Nada foi alterado. Tente de novo em instantes.',
      'No se cambió nada. Vuelve a intentarlo en un momento.',
    ],
  },
  answers_not_read: {
    title: [
      'Too many answers of your organization have not been read.',
      'Há respostas demais da sua organização que não foram lidas.',
      'Hay demasiadas respuestas de tu organización sin leer.',
    ],
    next: [
      'Some of your programs ask for more than they read. Stop them, then try again.',
      'Alguns dos seus programas pedem mais do que leem. Pare-os e tente de novo.',
      'Algunos de tus programas piden más de lo que leen. Detenlos y vuelve a intentarlo.',
    ],
  },
  too_many_connections: {
    title: [
      'The server has reached its limit of connections.',
      'O servidor atingiu o limite de conexões.',
      'El servidor alcanzó su límite de conexiones.',
    ],
    next: ['Try again in a moment.', 'Tente de novo em instantes.', 'Vuelve a intentarlo en un momento.'],
  },
  shutting_down: {
    title: ['The server is stopping.', 'O servidor está parando.', 'El servidor se está deteniendo.'],
    next: [
      'Nothing was changed. Try again once it is back.',
      'Nada foi alterado. Tente de novo quando ele voltar.',
      'No se cambió nada. Vuelve a intentarlo cuando esté otra vez en funcionamiento.',
    ],
  },
  storage_full: {
    title: [
      'The disk of the server is full.',
      'O disco do servidor está cheio.',
      'El disco del servidor está lleno.',
    ],
    next: [
      'Nothing was changed. The operator must free some space.',
      'Nada foi alterado. O operador precisa liberar espaço.',
      'No se cambió nada. El operador debe liberar espacio.',
    ],
  },
} as const satisfies Partial<Record<MetProblem, ProblemWords>>

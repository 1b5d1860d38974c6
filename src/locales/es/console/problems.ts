export const problems = {
  invalid_request: {
    title: 'Algunos valores no son válidos.',
    next: 'Corrígelos y vuelve a intentarlo.',
  },
  unauthenticated: {
    title: 'La clave no es válida.',
    next: 'Verifica que esté completa y no se haya revocado.',
  },
  key_expired: {
    title: 'La clave expiró.',
    next: 'Pide una nueva a un administrador de tu organización o al operador.',
  },
  forbidden: {
    title: 'Esta clave no tiene permiso para eso.',
    next: 'Inicia sesión con una clave que tenga el rol necesario y no esté limitada a otras instancias.',
  },
  cross_origin: {
    title: 'El servidor considera que esta solicitud viene de otra página.',
    next: 'Abre la consola en la URL que te dio el operador. Si hay un proxy delante, el operador debe definir POSTHORN_BASE_URL.',
  },
  session_changed: {
    title: 'Alguien inició sesión con otra clave en este navegador.',
    next: 'No se hizo nada. Recarga la página.',
  },
  route_not_found: {
    title: 'El servidor no conoce esta llamada.',
    next: 'Puede que se haya actualizado. Recarga la página.',
  },
  instance_not_found: {
    title: 'Esa instancia no existe.',
    next: 'Verifica el nombre. Puede que se haya eliminado.',
  },
  message_not_found: {
    title: 'Ese mensaje no existe.',
    next: 'Verifica el enlace. Los mensajes antiguos se eliminan pasado un tiempo.',
  },
  contact_not_found: {
    title: 'Ese contacto no existe.',
    next: 'Verifica la dirección. Puede que se haya olvidado a la persona.',
  },
  webhook_not_found: {
    title: 'Ese webhook no existe.',
    next: 'Verifica el enlace. Puede que se haya eliminado.',
  },
  delivery_not_found: {
    title: 'Esa entrega no existe.',
    next: 'Las entregas se conservan solo mientras existen sus eventos.',
  },
  event_not_found: {
    title: 'Ese evento no existe.',
    next: 'Verifica su ID. Los eventos se conservan solo por un tiempo.',
  },
  key_not_found: {
    title: 'Esa clave no existe.',
    next: 'Puede que ya no exista. Actualiza la lista.',
  },
  organization_not_found: {
    title: 'Esa organización no existe.',
    next: 'Verifica el nombre.',
  },
  node_not_found: {
    title: 'Ese nodo no existe.',
    next: 'Recarga la página: puede que ya no se guarde.',
  },
  no_other_node: {
    title: 'Ningún otro nodo puede hacerse cargo de las instancias.',
    next: 'Inicia otro nodo y vuelve a intentarlo.',
  },
  media_not_found: {
    title: 'Ese archivo no existe.',
    next: 'El mensaje no tiene archivo, o este no se pudo descargar o ya no está disponible.',
  },
  not_supported_by_network: {
    title: 'La red no puede hacer eso.',
    next: 'Usa para ello una instancia de otra red.',
  },
  templates_not_supported: {
    title: 'La red no tiene plantillas.',
    next: 'Envía un texto o usa una instancia de una red que tenga plantillas.',
  },
  setting_missing: {
    title: 'A la instancia le falta una configuración.',
    next: 'Vuelve a crear la instancia con ella.',
  },
  templates_being_listed: {
    title: 'Ya se están pidiendo las plantillas a la red.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  instance_not_connected: {
    title: 'La instancia no está conectada.',
    next: 'Su estado dice por qué. Vuelve a intentarlo cuando esté conectada.',
  },
  already_linked: {
    title: 'La cuenta ya está vinculada.',
    next: 'Para vincular otra, desvincula antes esta.',
  },
  link_kind_not_supported: {
    title: 'La red no permite vincular cuentas de esa forma.',
    next: 'Elige otra forma.',
  },
  base_url_missing: {
    title: 'El servidor no conoce su propia URL.',
    next: 'Pídele al operador que defina POSTHORN_BASE_URL: allí se abren las páginas de vinculación.',
  },
  no_link_step: {
    title: 'No hay nada que hacer para vincular la cuenta.',
    next: 'Consulta el estado de la instancia.',
  },
  logout_not_supported: {
    title: 'La red no permite desvincular cuentas.',
    next: 'Detén la instancia o elimínala.',
  },
  link_not_asking: {
    title: 'La instancia no está esperando una respuesta.',
    next: 'Consulta qué pide ahora.',
  },
  network_refused: {
    title: 'La red lo rechazó.',
    next: 'Su respuesta dice por qué.',
  },
  request_timeout: {
    title: 'La solicitud llegó demasiado despacio.',
    next: 'Vuelve a intentarlo con una conexión más rápida.',
  },
  instance_name_taken: {
    title: 'Otra instancia tiene ese nombre.',
    next: 'Elige otro nombre o espera a que esa instancia se elimine.',
  },
  instance_limit_reached: {
    title: 'La organización alcanzó su límite de instancias.',
    next: 'Elimina una instancia o pídele al operador que aumente el límite (POSTHORN_INSTANCE_LIMIT).',
  },
  account_in_use: {
    title: 'Otra instancia de tu organización usa esta cuenta.',
    next: 'Usa esa instancia o elimínala antes: dos conexiones se desconectarían entre sí.',
  },
  instance_deleting: {
    title: 'La instancia se está eliminando.',
    next: 'Ya no se puede cambiar. Cuando se haya eliminado, su nombre quedará libre.',
  },
  instance_changed_meanwhile: {
    title: 'Otras personas están cambiando la instancia al mismo tiempo.',
    next: 'No se cambió nada. Inténtalo de nuevo.',
  },
  organization_name_taken: {
    title: 'Otra organización tiene ese nombre.',
    next: 'Elige otro.',
  },
  key_limit_reached: {
    title: 'La organización alcanzó su límite de claves.',
    next: 'Revoca las claves que nadie usa.',
  },
  webhook_limit_reached: {
    title: 'La organización alcanzó su límite de webhooks.',
    next: 'Elimina un webhook o pídele al operador que aumente el límite (POSTHORN_WEBHOOK_LIMIT).',
  },
  webhook_not_enabled: {
    title: 'El webhook está desactivado.',
    next: 'Actívalo y vuelve a intentarlo.',
  },
  message_not_cancelable: {
    title: 'El mensaje ya no se puede cancelar.',
    next: 'Ya pasó a la red, o su envío ya concluyó.',
  },
  files_quota_exceeded: {
    title: 'La organización no tiene espacio para el archivo.',
    next: 'Cancela mensajes en cola con archivos, espera a que se eliminen otros o pídele al operador que aumente el límite (POSTHORN_FILES_LIMIT).',
  },
  stored_quota_exceeded: {
    title: 'La organización no tiene espacio para más mensajes.',
    next: 'Espera a que se eliminen los mensajes antiguos o pídele al operador que aumente el límite (POSTHORN_STORED_LIMIT).',
  },
  media_pending: {
    title: 'El archivo todavía se está descargando.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  idempotency_in_progress: {
    title: 'La misma solicitud todavía se está respondiendo.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  event_forgotten: {
    title: 'El evento ya no está disponible.',
    next: 'El operador define cuánto tiempo se conservan los eventos (POSTHORN_EVENT_RETENTION_DAYS).',
  },
  cursor_expired: {
    title: 'Lo que sigue a partir de aquí ya no está disponible.',
    next: 'Empieza de nuevo desde el principio.',
  },
  restored: {
    title: 'El servidor se restauró desde una copia de seguridad.',
    next: 'Recarga la página. Puede que el servidor no sepa qué se envió después de la copia.',
  },
  body_too_large: {
    title: 'Esto es demasiado grande.',
    next: 'Envía un archivo más pequeño o menos elementos a la vez.',
  },
  misdirected_request: {
    title: 'El servidor no responde a este nombre.',
    next: 'Usa la URL que te dio el operador o pídele que agregue este nombre a POSTHORN_ALLOWED_HOSTS.',
  },
  recipient_opted_out: {
    title: 'El destinatario no quiere publicidad.',
    next: 'Los demás mensajes sí le llegan. Si la plantilla no es publicitaria, indica su categoría.',
  },
  target_not_sent: {
    title: 'El otro mensaje no se envió.',
    next: 'Falló, venció o se canceló, así que nada puede referirse a él.',
  },
  message_not_received: {
    title: 'El mensaje no fue recibido.',
    next: 'Solo se pueden marcar como leídos los mensajes recibidos.',
  },
  not_your_message: {
    title: 'El mensaje no es tuyo.',
    next: 'Solo se pueden editar o retirar los mensajes que envió tu cuenta.',
  },
  message_not_editable: {
    title: 'El mensaje no se puede cambiar de esta forma.',
    next: 'Envía un mensaje nuevo.',
  },
  edit_window_over: {
    title: 'El mensaje se envió hace demasiado tiempo.',
    next: 'La red solo lo permite durante un plazo. Envía un mensaje nuevo.',
  },
  outside_reply_window: {
    title: 'El plazo para responder libremente terminó.',
    next: 'Envía una plantilla, si la red las tiene, o espera a que el destinatario vuelva a escribir.',
  },
  rate_limited: {
    title: 'Demasiadas solicitudes.',
    next: 'Espera un momento y vuelve a intentarlo.',
  },
  too_many_streams: {
    title: 'Hay demasiadas conexiones en vivo abiertas.',
    next: 'Cierra otras pestañas de la consola o termina algunas de las solicitudes en espera.',
  },
  too_many_waits: {
    title: 'Demasiadas solicitudes de la organización esperan un resultado.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  too_many_batches: {
    title: 'Demasiados lotes de la organización están en espera.',
    next: 'Envía menos a la vez y vuelve a intentarlo en un momento.',
  },
  group_not_found: {
    title: 'No existe ese grupo.',
    next: 'Revisa la dirección y si la cuenta sigue en el grupo.',
  },
  too_many_group_changes: {
    title: 'Demasiados cambios en grupos.',
    next: 'Espera un rato: las redes bloquean las cuentas que hacen muchos cambios.',
  },
  group_requests_waiting: {
    title: 'Hay demasiadas solicitudes sobre grupos en espera.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  outcome_unknown: {
    title: 'La red no ha dicho si se hizo.',
    next: 'Mira el grupo antes de volver a intentarlo.',
  },
  picture_not_found: {
    title: 'El contacto no muestra ninguna foto.',
    next: 'Quizá solo la vean otras personas. Vuelve a intentarlo dentro de una hora.',
  },
  too_many_pictures: {
    title: 'Se han pedido demasiadas fotos.',
    next: 'Espera un momento: las redes bloquean las cuentas que preguntan por demasiadas personas.',
  },
  too_many_checks: {
    title: 'Se han comprobado demasiadas direcciones.',
    next: 'Espera un rato: las redes bloquean las cuentas que preguntan por demasiadas personas.',
  },
  queue_full: {
    title: 'La cola de la instancia está llena.',
    next: 'Vuelve a intentarlo cuando se hayan enviado algunos mensajes. Si no sale ninguno, el estado de la instancia dice por qué.',
  },
  voice_queue_full: {
    title: 'Hay demasiadas notas de voz esperando su conversión.',
    next: 'Inténtalo más tarde o envía OGG con Opus, que no necesita conversión.',
  },
  unsettled_quota_exceeded: {
    title: 'La organización alcanzó su límite de mensajes en espera.',
    next: 'Espera a que se envíen algunos, cancela algunos o pídele al operador que aumente el límite (POSTHORN_UNSETTLED_LIMIT).',
  },
  headers_too_large: {
    title: 'Las cabeceras de la solicitud son demasiado grandes.',
    next: 'Borra las cookies de este sitio y vuelve a iniciar sesión.',
  },
  internal_error: {
    title: 'Se produjo un error interno en Posthorn.',
    next: 'Vuelve a intentarlo. Si no sirve, dale al operador el ID de la solicitud que aparece abajo.',
  },
  instance_unreachable: {
    title: 'No se puede acceder al nodo que ejecuta la instancia.',
    next: 'Inténtalo de nuevo en unos segundos.',
  },
  store_unavailable: {
    title: 'No se puede acceder a la base de datos en este momento.',
    next: 'No se cambió nada. Vuelve a intentarlo en un momento.',
  },
  answers_not_read: {
    title: 'Hay demasiadas respuestas de tu organización sin leer.',
    next: 'Algunos de tus programas piden más de lo que leen. Detenlos y vuelve a intentarlo.',
  },
  too_many_connections: {
    title: 'El servidor alcanzó su límite de conexiones.',
    next: 'Vuelve a intentarlo en un momento.',
  },
  shutting_down: {
    title: 'El servidor se está deteniendo.',
    next: 'No se cambió nada. Vuelve a intentarlo cuando esté otra vez en funcionamiento.',
  },
  storage_full: {
    title: 'El disco del servidor está lleno.',
    next: 'No se cambió nada. El operador debe liberar espacio.',
  },
} as const

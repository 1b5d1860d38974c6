export const everywhere = {
  account: 'Cuenta',
  all: 'Todos',
  all_instances: 'Todas las instancias',
  answered_strangely:
    'El servidor respondió con {status}, y esta página no entiende la respuesta. La causa puede ser un proxy intermedio.',
  as_last_known: 'última información',
  call_behind: 'Mostrar la llamada a la API',
  call_hint: 'Para ejecutarla, pon una clave de API en la variable POSTHORN_KEY.',
  call_hint_operator:
    'Para ejecutarla, pon el token del operador en la variable POSTHORN_KEY. Está en el archivo operator.token de la carpeta de datos del servidor, salvo que POSTHORN_OPERATOR_TOKEN defina otro.',
  cancel: 'Cancelar',
  close: 'Cerrar',
  copied: 'Copiado',
  copy: 'Copiar',
  created: 'Creación',
  instance: 'Instancia',
  load_more: 'Mostrar más',
  loading: 'Cargando…',
  name: 'Nombre',
  network: 'Red',
  no: 'No',
  no_answer:
    'El servidor lleva un minuto sin responder. Si le pediste que hiciera algo, comprueba si se hizo antes de repetirlo.',
  not_found: 'Aquí no hay nada.',
  not_found_why: 'El enlace puede estar incompleto o lleva a algo que esta clave no puede ver.',
  nothing_found: 'Ningún resultado con estos filtros.',
  out_of_reach:
    'No se puede acceder al servidor. Verifica tu conexión y que el servidor esté en funcionamiento.',
  proxy_reaches_nobody:
    'Un proxy respondió con {status}, porque no puede acceder al servidor. Puede que el servidor se esté reiniciando: inténtalo de nuevo en un momento.',
  proxy_takes_less:
    'Un proxy respondió con {status}: esto es más de lo que deja pasar. Envía menos de una vez o pide al operador que aumente el límite del proxy.',
  raw: 'Como JSON',
  refresh: 'Actualizar',
  search: 'Buscar',
  search_on: 'Nada encontrado hasta ahora. Seguir buscando',
  skip: 'Saltar al contenido',
  status: 'Estado',
  time: 'Fecha y hora',
  try_again: 'Reintentar',
  type_to_confirm: 'Escribe {name} para confirmar',
  yes: 'Sí',
} as const

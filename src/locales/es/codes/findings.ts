/** Findings about the server, and what the operator can do. */
export const findings = {
  store_unavailable: {
    happened: 'El almacén no responde o no acepta escrituras.',
    next: 'Mira el registro, o ejecuta `posthorn doctor` en la máquina del servidor.',
  },
  storage_full: {
    happened: 'El disco del almacén está lleno, así que no se acepta ningún mensaje.',
    next: 'Libera espacio; el servidor continúa entonces por sí solo.',
  },
  store_corrupt: {
    happened: 'Partes del almacén no se pueden leer, porque sus datos están dañados.',
    next: 'Detén el servidor, revisa el disco y restaura una copia de seguridad.',
  },
  store_replaced: {
    happened: 'El archivo del almacén se quitó o se cambió con el servidor en marcha.',
    next: 'Devuelve el archivo a su sitio, o reinicia el servidor para usar el actual.',
  },
  node_not_trusted: {
    happened: 'Este nodo no puede mostrar a los demás que funciona, así que ni escribe ni envía.',
    next: 'Revisa la conexión con la base de datos y su carga. El nodo continúa por sí solo cuando puede.',
  },
  disk_full: {
    happened:
      'El disco de la carpeta de datos está casi lleno. Cuando lo esté, no se aceptará ningún mensaje.',
    next: 'Libera espacio, o dale al servidor un disco más grande.',
  },
  disk_low: {
    happened: 'El disco de la carpeta de datos se está llenando.',
    next: 'Libera espacio, acorta la conservación, o dale al servidor un disco más grande.',
  },
  messages_held: {
    happened:
      'Hay mensajes retenidos, porque el almacén se restauró de una copia: puede que se hayan enviado después.',
    next: 'Míralos con `posthorn queue list`; después envíalos con `queue send`, o renuncia a ellos con `queue fail`.',
  },
  queue_overdue: {
    happened: 'Un mensaje de una instancia conectada debería haber salido hace más de diez minutos.',
    next: 'Mira la instancia: quizá su ritmo es demasiado lento para su cola, o su red no responde.',
  },
  instances_need_person: {
    happened: 'Hay instancias con la sesión cerrada o que fallaron, y esperan a una persona.',
    next: 'Sus organizaciones las vinculan de nuevo o corrigen sus credenciales; la lista de organizaciones muestra de quién son.',
  },
  webhooks_behind: {
    happened: 'El evento más antiguo que espera a un webhook lleva más de 15 minutos.',
    next: 'Mira qué organización tiene un receptor lento o caído, y avísala.',
  },
  webhooks_failing: {
    happened: 'Hay webhooks que no aceptan ningún evento desde hace una hora.',
    next: 'Avisa a sus organizaciones: sus receptores están caídos, o rechazan lo que reciben.',
  },
  webhooks_disabled: {
    happened: 'Posthorn desactivó webhooks, porque sus receptores fallaron durante días o ya no existen.',
    next: 'Sus organizaciones los activan de nuevo y reenvían lo perdido, o los quitan.',
  },
  quotas_exhausted: {
    happened: 'Hay organizaciones que agotaron una cuota, así que algunas de sus peticiones se rechazan.',
    next: 'Mira la lista de organizaciones: aumenta la cuota, o diles que hagan sitio.',
  },
  backup_old: {
    happened: 'La última copia de seguridad se hizo hace más de dos días.',
    next: 'Ejecuta `posthorn backup`, y averigua por qué falló el temporizador que debía hacerla.',
  },
  backup_missing: {
    happened: 'No se hizo ninguna copia con `posthorn backup`.',
    next: 'Haz que un temporizador haga una cada día, salvo que copies el almacén de otra manera.',
  },
  listening_in_the_open: {
    happened: 'Otras máquinas pueden llegar al servidor, y nada indica que delante haya TLS.',
    next: 'Pon delante un proxy con TLS e indica su URL https en POSTHORN_BASE_URL, o escucha en 127.0.0.1.',
  },
  folder_open: {
    happened:
      'Otros usuarios de la máquina pueden entrar en la carpeta de datos, o leer un archivo con secretos.',
    next: 'Ejecuta `posthorn doctor`, que los nombra, y quita los permisos con chmod.',
  },
  network_file_system: {
    happened:
      'El almacén está en un sistema de archivos de red, en el que SQLite puede perder mensajes aceptados.',
    next: 'Mueve la carpeta de datos a un disco local, o ten el almacén en PostgreSQL (POSTHORN_DATABASE_URL).',
  },
  files_on_one_node: {
    happened:
      'Hay varios nodos, pero cada uno guarda los archivos en su propia carpeta, donde los demás no los encuentran.',
    next: 'Pon POSTHORN_MEDIA_STORE en postgres o s3.',
  },
  nodes_silent: {
    happened: 'Hay nodos que llevan demasiado tiempo sin mostrar que funcionan.',
    next: 'Mira si sus máquinas funcionan y llegan a la base de datos. Otros nodos se encargan de lo que tenían.',
  },
  versions_differ: {
    happened: 'Los nodos tienen versiones distintas.',
    next: 'Lleva todos a la versión más nueva.',
  },
  standbys_unconfirmed: {
    happened:
      'Ningún servidor de reserva confirma las escrituras, así que un cambio de servidor de la base de datos puede perder lo aceptado.',
    next: 'Nombra los servidores de reserva en synchronous_standby_names, si la base de datos pasa a alguno.',
  },
  clocks_differ: {
    happened: 'Los relojes de la base de datos y de esta máquina difieren en más de cinco segundos.',
    next: 'Mantén los dos en hora con NTP.',
  },
  voice_notes_off: {
    happened: 'Las notas de voz no se convierten: ffmpeg está instalado, pero ffprobe o prlimit no.',
    next: 'Instala los paquetes ffmpeg y util-linux, y reinicia el servidor.',
  },
} as const

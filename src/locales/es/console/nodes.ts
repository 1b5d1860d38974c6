export const nodes = {
  copy_id: 'Copiar el ID',
  delivery_parts: 'Entregas: {parts} de 64',
  drain: 'Vaciar',
  drain_what:
    'El nodo entrega sus instancias a los demás, lo que interrumpe la conexión de cada una por un momento, y no toma ninguna hasta que se inicie de nuevo.',
  duties: 'Tareas',
  hint: 'Los nodos son los servidores que comparten la base de datos. Para detener uno sin prisa, vacíalo primero y espera hasta que no tenga instancias.',
  housekeeping: 'Limpieza',
  id: 'ID',
  instances: 'Instancias',
  last_seen: 'Visto',
  may_be_stopped: 'Se puede detener',
  started: 'Iniciado',
  title: 'Nodos',
  version: 'Versión',
} as const

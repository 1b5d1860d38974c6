export const quotas = {
  limit: 'Límite',
  no_limit: 'sin límite',
  title: 'Cuotas',
  used: 'En uso',
  names: {
    file_bytes: 'Archivos almacenados',
    stored_bytes: 'Mensajes almacenados',
    unsettled_messages: 'Mensajes en espera',
    incoming_messages: 'Mensajes recibidos',
    waiting_callbacks: 'Callbacks en espera',
    waiting_callback_bytes: 'Tamaño de los callbacks en espera',
  },
} as const

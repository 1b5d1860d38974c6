/** Why an instance has its status: the reasons of the contract, and those that several networks have in common. */
export const reasons = {
  start_ordered: 'Alguien inició la instancia.',
  settings_changed: 'Alguien cambió la configuración de la instancia.',
  restart_ordered: 'Alguien reinició la instancia.',
  link_ordered: 'Alguien quiere vincular la cuenta.',
  stop_ordered: 'Alguien detuvo la instancia.',
  remove_ordered:
    'Alguien eliminó la instancia. Su nombre quedará libre cuando la red confirme la eliminación.',
  link_expired: 'Nadie vinculó la cuenta a tiempo. Cuando alguien pueda vincularla, empieza de nuevo.',
  link_declined:
    'La persona a la que se envió el enlace no quiso vincular la cuenta. Habla con ella y, si cambia de opinión, crea otro enlace.',
  logged_out_by_request:
    'Alguien desvinculó la cuenta. Los mensajes en cola esperan hasta que se vuelva a vincular una cuenta.',
  probe_timeout: 'La red no respondió a tiempo a una verificación. Posthorn se conecta de nuevo.',
  owner_lost:
    'El nodo que ejecutaba la instancia no responde. Otro nodo se hará cargo de ella en medio minuto y la conectará.',
  answers_missing:
    'La red dejó demasiados mensajes sin respuesta. Posthorn se reconecta y repite los mensajes que la red reconoce por su ID.',
  messages_missed:
    'Llegaron más mensajes de los que se podían guardar en ese momento. Posthorn se reconecta y busca los que faltan, si la red aún los tiene.',
  credentials_unreadable:
    'Las credenciales guardadas no se pueden descifrar: se cifraron con otra clave maestra o se alteraron. Reemplázalas o pídele al operador que restaure la clave maestra correcta e inicia la instancia.',
  account_taken:
    'Otra instancia de este servidor ya recibe lo que la red envía sobre esta cuenta, y solo una puede. Si la otra es tuya, elimínala. Si no lo es, y ya no puede usar la cuenta, revoca sus credenciales en la red. Después inicia esta instancia.',
  incoming_quota_exceeded:
    'La organización alcanzó su cuota de mensajes recibidos. Posthorn se reconecta para enviar y vuelve a recibir cuando se eliminen los antiguos o el operador aumente el límite (POSTHORN_INCOMING_LIMIT).',
  removal_unconfirmed: 'La red aún no ha confirmado la eliminación. Posthorn lo vuelve a intentar.',
  internal_error:
    'Se produjo un error interno en Posthorn, que lo vuelve a intentar. Si el problema persiste, avisa al operador; la causa está en el registro.',
  token_refused: 'La red rechazó el token. Indica el token correcto en “Reemplazar credenciales”.',
  logged_out: 'La cuenta ya no está vinculada: la sesión se cerró en la red o en el teléfono.',
  replaced:
    'Otro programa usa la misma cuenta y tomó la conexión. Cierra el otro programa o dale una cuenta propia.',
  rate_limited: 'La red limita la frecuencia de las consultas.',
  address_not_allowed:
    'El operador no permite que las instancias se conecten a la dirección del servidor de la red. Pídele que la autorice (POSTHORN_CONNECT_ALLOW_CIDRS).',
  server_unreachable: 'No se puede acceder al servidor de la red.',
  tls_failed: 'No se pudo abrir una conexión cifrada, por ejemplo a causa de un certificado.',
  connection_reset: 'La conexión se interrumpió.',
  answer_timeout: 'La red no respondió a tiempo.',
  server_error: 'El servidor de la red falló.',
  memory_of_connection:
    'La conexión alcanzó su límite de memoria. Si el problema persiste, consulta al operador de Posthorn.',
  memory_of_organization:
    'Las conexiones de la organización alcanzaron su límite de memoria, y esta era la que más usaba. Si el problema persiste, usa menos instancias a la vez.',
  memory_of_server:
    'Las conexiones del servidor alcanzaron su límite de memoria. Si el problema persiste, avisa al operador de Posthorn.',
  account_locked:
    'La red bloqueó la cuenta. Averigua allí el motivo e inicia la instancia cuando la cuenta se pueda usar de nuevo.',
  stream_error: 'La red cerró la conexión por un motivo desconocido.',
} as const

import type { InstanceReasonCode } from '../../../contract/codes.ts'
import type { Translation } from '../core/translation.ts'

/** Why an instance has its status, if that does not depend on its network. */
export const instanceReasonWords: Readonly<Record<InstanceReasonCode, Translation>> = {
  start_ordered: ['Alguém iniciou a instância.', 'Alguien inició la instancia.'],
  settings_changed: [
    'Alguém alterou as configurações da instância.',
    'Alguien cambió la configuración de la instancia.',
  ],
  restart_ordered: ['Alguém reiniciou a instância.', 'Alguien reinició la instancia.'],
  link_ordered: ['Alguém quer vincular a conta.', 'Alguien quiere vincular la cuenta.'],
  stop_ordered: ['Alguém parou a instância.', 'Alguien detuvo la instancia.'],
  remove_ordered: [
    'Alguém removeu a instância. O nome fica livre quando a rede confirmar a remoção.',
    'Alguien eliminó la instancia. Su nombre quedará libre cuando la red confirme la eliminación.',
  ],
  link_expired: [
    'Ninguém vinculou a conta a tempo. Quando alguém puder vinculá-la, comece de novo.',
    'Nadie vinculó la cuenta a tiempo. Cuando alguien pueda vincularla, empieza de nuevo.',
  ],
  logged_out_by_request: [
    'Alguém desvinculou a conta. As mensagens na fila aguardam até que uma conta seja vinculada de novo.',
    'Alguien desvinculó la cuenta. Los mensajes en cola esperan hasta que se vuelva a vincular una cuenta.',
  ],
  probe_timeout: [
    'A rede não respondeu a tempo a uma verificação. O Posthorn se conecta de novo.',
    'La red no respondió a tiempo a una verificación. Posthorn se conecta de nuevo.',
  ],
  answers_missing: [
    'A rede deixou de responder a mensagens demais. O Posthorn se reconecta e repete as mensagens que a rede reconhece pelo ID.',
    'La red dejó demasiados mensajes sin respuesta. Posthorn se reconecta y repite los mensajes que la red reconoce por su ID.',
  ],
  messages_missed: [
    'Chegaram mais mensagens do que era possível guardar naquele momento. O Posthorn se reconecta e busca as que faltam, se a rede ainda as tiver.',
    'Llegaron más mensajes de los que se podían guardar en ese momento. Posthorn se reconecta y busca los que faltan, si la red aún los tiene.',
  ],
  credentials_unreadable: [
    'As credenciais guardadas não podem ser descriptografadas: foram criptografadas com outra chave mestra ou alteradas. Substitua-as ou peça ao operador que restaure a chave mestra correta e inicie a instância.',
    'Las credenciales guardadas no se pueden descifrar: se cifraron con otra clave maestra o se alteraron. Reemplázalas o pídele al operador que restaure la clave maestra correcta e inicia la instancia.',
  ],
  account_taken: [
    'Outra instância deste servidor já recebe o que a rede envia sobre esta conta, e só uma pode. Se a outra for sua, remova-a. Se não for, e não puder mais usar a conta, revogue as credenciais dela na rede. Depois inicie esta instância.',
    'Otra instancia de este servidor ya recibe lo que la red envía sobre esta cuenta, y solo una puede. Si la otra es tuya, elimínala. Si no lo es, y ya no puede usar la cuenta, revoca sus credenciales en la red. Después inicia esta instancia.',
  ],
  incoming_quota_exceeded: [
    'A organização atingiu a cota de mensagens recebidas. O Posthorn se reconecta para enviar e volta a receber quando as antigas forem removidas ou o operador aumentar o limite (POSTHORN_INCOMING_LIMIT).',
    'La organización alcanzó su cuota de mensajes recibidos. Posthorn se reconecta para enviar y vuelve a recibir cuando se eliminen los antiguos o el operador aumente el límite (POSTHORN_INCOMING_LIMIT).',
  ],
  removal_unconfirmed: [
    'A rede ainda não confirmou a remoção. O Posthorn tenta de novo.',
    'La red aún no ha confirmado la eliminación. Posthorn lo vuelve a intentar.',
  ],
  internal_error: [
    'Ocorreu um erro interno no Posthorn, que tenta de novo. Se o problema persistir, avise o operador; a causa está no log.',
    'Se produjo un error interno en Posthorn, que lo vuelve a intentar. Si el problema persiste, avisa al operador; la causa está en el registro.',
  ],
}

/** Why connections end, on any network: what several have in common is said in the same way. */
export const connectionReasonWords = {
  token_refused: [
    'A rede recusou o token. Informe o token correto em “Substituir credenciais”.',
    'La red rechazó el token. Indica el token correcto en “Reemplazar credenciales”.',
  ],
  logged_out: [
    'A conta não está mais vinculada: a sessão foi encerrada na rede ou no celular.',
    'La cuenta ya no está vinculada: la sesión se cerró en la red o en el teléfono.',
  ],
  client_refused: ['A rede não aceita este programa.', 'La red no acepta este programa.'],
  network_unreachable: ['A rede está inacessível.', 'No se puede acceder a la red.'],
  connection_dropped: ['A rede derrubou a conexão.', 'La red cortó la conexión.'],
  link_not_kept: [
    'A conta foi vinculada, mas as novas credenciais não puderam ser guardadas. O Posthorn pede outro vínculo.',
    'La cuenta se vinculó, pero no se pudieron guardar las nuevas credenciales. Posthorn pide otra vinculación.',
  ],
  callback_url_missing: [
    'O operador não definiu a URL pela qual a rede acessa este servidor. Peça que ele defina POSTHORN_BASE_URL.',
    'El operador no definió la URL en la que la red accede a este servidor. Pídele que defina POSTHORN_BASE_URL.',
  ],
  callback_url_refused: [
    'A rede não aceita a URL de callback da instância. Peça ao operador que verifique POSTHORN_BASE_URL: a URL precisa ser acessível da internet por HTTPS.',
    'La red no acepta la URL de callback de la instancia. Pídele al operador que verifique POSTHORN_BASE_URL: debe ser accesible desde internet por HTTPS.',
  ],
  replaced: [
    'Outro programa usa a mesma conta e tomou a conexão. Encerre o outro programa ou dê a ele uma conta própria.',
    'Otro programa usa la misma cuenta y tomó la conexión. Cierra el otro programa o dale una cuenta propia.',
  ],
  webhook_set: [
    'Há um webhook definido para o bot, e as mensagens vão para lá. Se nada mais precisar dele, remova-o (método deleteWebhook).',
    'Hay un webhook definido para el bot, y los mensajes van allí. Si nada más lo necesita, quítalo (método deleteWebhook).',
  ],
  rate_limited: [
    'A rede limita a frequência das consultas.',
    'La red limita la frecuencia de las consultas.',
  ],
  not_telegram: [
    'A resposta não veio da rede. Se o problema persistir, peça ao operador que verifique o endereço configurado e os proxies no caminho.',
    'La respuesta no vino de la red. Si el problema persiste, pídele al operador que verifique la dirección configurada y los proxies intermedios.',
  ],
  update_too_large: [
    'A rede tem para o bot uma atualização grande demais para ser lida. Ela é descartada depois de um dia.',
    'La red tiene para el bot una actualización demasiado grande para leerla. Se descarta al cabo de un día.',
  ],
  messages_not_kept: [
    'O Posthorn não conseguiu guardar mensagens recebidas. Ele se reconecta e as busca de novo.',
    'Posthorn no pudo guardar mensajes recibidos. Se reconecta y los busca de nuevo.',
  ],
  address_not_allowed: [
    'O operador não permite que instâncias se conectem ao endereço do servidor da rede. Peça que ele libere o endereço (POSTHORN_CONNECT_ALLOW_CIDRS).',
    'El operador no permite que las instancias se conecten a la dirección del servidor de la red. Pídele que la autorice (POSTHORN_CONNECT_ALLOW_CIDRS).',
  ],
  server_unreachable: ['O servidor da rede está inacessível.', 'No se puede acceder al servidor de la red.'],
  tls_failed: [
    'Não foi possível abrir uma conexão criptografada, por exemplo por causa de um certificado.',
    'No se pudo abrir una conexión cifrada, por ejemplo a causa de un certificado.',
  ],
  connection_reset: ['A conexão foi interrompida.', 'La conexión se interrumpió.'],
  answer_timeout: ['A rede não respondeu a tempo.', 'La red no respondió a tiempo.'],
  server_error: ['Houve uma falha no servidor da rede.', 'El servidor de la red falló.'],
  memory_of_connection: [
    'A conexão atingiu o limite de memória. Se o problema persistir, fale com o operador do Posthorn.',
    'La conexión alcanzó su límite de memoria. Si el problema persiste, consulta al operador de Posthorn.',
  ],
  memory_of_organization: [
    'As conexões da organização atingiram o limite de memória, e esta usava a maior parte. Se o problema persistir, use menos instâncias ao mesmo tempo.',
    'Las conexiones de la organización alcanzaron su límite de memoria, y esta era la que más usaba. Si el problema persiste, usa menos instancias a la vez.',
  ],
  memory_of_server: [
    'As conexões do servidor atingiram o limite de memória. Se o problema persistir, avise o operador do Posthorn.',
    'Las conexiones del servidor alcanzaron su límite de memoria. Si el problema persiste, avisa al operador de Posthorn.',
  ],
  missing_permission: [
    'Falta uma permissão ao token de acesso. Dê ao usuário do sistema as permissões whatsapp_business_messaging e whatsapp_business_management, crie outro token e substitua as credenciais.',
    'Al token de acceso le falta un permiso. Dale al usuario del sistema los permisos whatsapp_business_messaging y whatsapp_business_management, crea otro token y reemplaza las credenciales.',
  ],
  number_unknown: [
    'A Meta não conhece um número com este ID que o token possa usar. Verifique o ID e se o número está atribuído ao usuário do sistema.',
    'Meta no conoce ningún número con este ID que el token pueda usar. Verifica el ID y que el número esté asignado al usuario del sistema.',
  ],
  business_account_unknown: [
    'A Meta não conhece uma conta comercial com este ID que o token possa usar. Verifique o ID e se a conta está atribuída ao usuário do sistema.',
    'Meta no conoce ninguna cuenta comercial con este ID que el token pueda usar. Verifica el ID y que la cuenta esté asignada al usuario del sistema.',
  ],
  number_not_registered: [
    'O número não está registrado na Cloud API. Registre-o na Meta.',
    'El número no está registrado en la Cloud API. Regístralo en Meta.',
  ],
  account_locked: [
    'A rede bloqueou a conta. Descubra o motivo lá e inicie a instância quando a conta puder ser usada de novo.',
    'La red bloqueó la cuenta. Averigua allí el motivo e inicia la instancia cuando la cuenta se pueda usar de nuevo.',
  ],
  proof_refused: [
    'A Meta não aceitou a prova com o segredo do app: o token de acesso é de outro app. Informe o segredo do app para o qual o token foi criado, ou um token deste app.',
    'Meta no aceptó la prueba con el secreto de la app: el token de acceso es de otra app. Indica el secreto de la app para la que se creó el token, o un token de esta app.',
  ],
  account_deleted: [
    'A conta comercial foi excluída na Meta. Crie outra na Meta e depois uma instância para o número dela.',
    'La cuenta comercial se eliminó en Meta. Crea otra en Meta y luego una instancia para su número.',
  ],
  partner_removed: [
    'A empresa não compartilha mais a conta com o app, e a Meta não deixa o token usar o número. Peça à empresa que a compartilhe de novo e inicie a instância.',
    'La empresa ya no comparte su cuenta con la app, y Meta no deja que el token use el número. Pide a la empresa que la comparta de nuevo e inicia la instancia.',
  ],
  account_blocked: [
    'A Meta bloqueou a conta por um tempo porque ela violou uma política. Veja o motivo na Central de Suporte para Empresas da Meta.',
    'Meta bloqueó la cuenta por un tiempo porque infringió una política. Consulta el motivo en el Centro de ayuda para empresas de Meta.',
  ],
  version_refused: [
    'A Meta não oferece mais, ou ainda não oferece, esta versão da API. Informe outra versão, ou nenhuma, nas configurações da instância (`PATCH /v1/instances/{name}`).',
    'Meta ya no ofrece, o todavía no ofrece, esta versión de la API. Indica otra versión, o ninguna, en la configuración de la instancia (`PATCH /v1/instances/{name}`).',
  ],
  app_missing: [
    'A instância não tem app próprio, e este servidor não tem mais um que ela possa usar. Fale com o operador ou dê à instância um app próprio.',
    'La instancia no tiene app propia, y este servidor ya no tiene una que pueda usar. Consulta al operador o dale a la instancia una app propia.',
  ],
  question_refused: [
    'A Meta se recusou a informar qual é o número.',
    'Meta se negó a decir cuál es el número.',
  ],
  not_cloud_api: [
    'A resposta não veio da Cloud API. Se o problema persistir, peça ao operador que verifique o endereço configurado e os proxies no caminho.',
    'La respuesta no vino de la Cloud API. Si el problema persiste, pídele al operador que verifique la dirección configurada y los proxies intermedios.',
  ],
  passkey_required: [
    'A rede exige uma chave de acesso (passkey) para vincular esta conta, e o Posthorn não pode repassá-la. Vincule outra conta ou use a API oficial.',
    'La red exige una llave de acceso (passkey) para vincular esta cuenta, y Posthorn no puede transmitirla. Vincula otra cuenta o usa la API oficial.',
  ],
  link_refused: [
    'A rede recusou o pedido de um código para vincular o número. Verifique o número ou vincule por QR code. Depois de tentativas demais, espere algumas horas.',
    'La red rechazó la solicitud de un código para vincular el número. Verifica el número o vincula con un código QR. Tras demasiados intentos, espera unas horas.',
  ],
  link_failed: [
    'A resposta do celular não pôde ser verificada, e nada foi vinculado.',
    'No se pudo verificar la respuesta del teléfono, y no se vinculó nada.',
  ],
  account_banned: [
    'A rede baniu a conta. No celular, abra o app, onde é possível pedir uma análise.',
    'La red suspendió la cuenta. Abre la app en el teléfono, donde puedes pedir una revisión.',
  ],
  temporarily_banned: [
    'A rede baniu a conta por um tempo. Inicie a instância só quando o banimento acabar: cada tentativa antes disso piora a situação.',
    'La red suspendió la cuenta por un tiempo. Inicia la instancia solo cuando acabe la suspensión: cada intento anterior lo empeora.',
  ],
  client_outdated: [
    'A rede recusa a conexão: a versão do programa é antiga demais, ou o nome do navegador não é aceito. Fale com o operador.',
    'La red rechaza la conexión: la versión del programa es demasiado antigua o no se acepta el nombre de su navegador. Consulta al operador.',
  ],
  refused_by_whatsapp: [
    'A rede recusou a conexão sem dizer por quê. Abra o app no celular, que pode dizer mais.',
    'La red rechazó la conexión sin decir por qué. Abre la app en el teléfono, que puede decir más.',
  ],
  server_not_proven: [
    'Não foi possível confirmar que a resposta veio da rede. Nada é enviado até que isso seja confirmado.',
    'No se pudo confirmar que la respuesta viniera de la red. No se envía nada hasta que se confirme.',
  ],
  not_whatsapp: [
    'A resposta não veio da rede. Se o problema persistir, peça ao operador que verifique os proxies no caminho.',
    'La respuesta no vino de la red. Si el problema persiste, pídele al operador que verifique los proxies intermedios.',
  ],
  stream_error: [
    'A rede encerrou a conexão por um motivo desconhecido.',
    'La red cerró la conexión por un motivo desconocido.',
  ],
  service_unavailable: [
    'A rede não aceita conexões no momento.',
    'La red no acepta conexiones en este momento.',
  ],
  proxy_unreachable: [
    'O proxy está inacessível ou não alcança a rede. Verifique o proxy nas configurações.',
    'No se puede acceder al proxy, o este no llega a la red. Verifica el proxy en la configuración.',
  ],
  proxy_refused: [
    'O proxy recusou o usuário ou a senha. Substitua as credenciais e inicie a instância.',
    'El proxy rechazó el usuario o la contraseña. Reemplaza las credenciales e inicia la instancia.',
  ],
  proxy_not_allowed: [
    'O operador não permite que instâncias se conectem ao endereço do proxy. Use um proxy com endereço público ou peça que ele libere o endereço (POSTHORN_CONNECT_ALLOW_CIDRS).',
    'El operador no permite que las instancias se conecten a la dirección del proxy. Usa un proxy con dirección pública o pídele que la autorice (POSTHORN_CONNECT_ALLOW_CIDRS).',
  ],
  message_not_stored: [
    'Uma mensagem recebida não pôde ser guardada a tempo. A rede a envia de novo.',
    'Un mensaje recibido no se pudo guardar a tiempo. La red lo envía de nuevo.',
  ],
  keys_not_stored: [
    'Uma chave do vínculo não pôde ser guardada. Nada é enviado com uma chave que pode se perder. Se o problema persistir, avise o operador.',
    'No se pudo guardar una clave de la vinculación. No se envía nada con una clave que puede perderse. Si el problema persiste, avisa al operador.',
  ],
  too_many_keys: [
    'O vínculo tem mais chaves do que uma instância pode guardar. Remova este dispositivo no celular (“Dispositivos conectados”), inicie a instância e vincule a conta de novo, ou peça ao operador que aumente POSTHORN_KEY_LIMIT.',
    'La vinculación tiene más claves de las que una instancia puede guardar. Quita este dispositivo en el teléfono (“Dispositivos vinculados”), inicia la instancia y vuelve a vincular la cuenta, o pídele al operador que aumente POSTHORN_KEY_LIMIT.',
  ],
  worker_crashed: [
    'O processo que mantinha a conexão terminou. Avise o operador.',
    'El proceso que mantenía la conexión terminó. Avisa al operador.',
  ],
  worker_silent: [
    'O processo que mantinha a conexão não respondia mais e foi encerrado. O Posthorn se reconecta. Avise o operador.',
    'El proceso que mantenía la conexión dejó de responder y se cerró. Posthorn se vuelve a conectar. Avisa al operador.',
  ],
  worker_out_of_memory: [
    'O processo que mantinha a conexão precisou de mais memória do que pode ter e foi encerrado. O Posthorn se reconecta. Se acontecer de novo, peça ao operador que procure a causa no log ou aumente POSTHORN_WHATSAPP_WORKER_MEMORY_MB.',
    'El proceso que mantenía la conexión necesitó más memoria de la que puede tener y se cerró. Posthorn se vuelve a conectar. Si vuelve a ocurrir, pídele al operador que busque la causa en el registro o aumente POSTHORN_WHATSAPP_WORKER_MEMORY_MB.',
  ],
  quarantined: [
    'Mais de uma vez, processos terminaram enquanto trabalhavam para esta conta; por isso ela fica separada das outras. O Posthorn tenta de novo com um processo só para ela, cada vez após uma pausa mais longa. Avise o operador.',
    'Más de una vez terminaron procesos mientras trabajaban para esta cuenta; por eso está separada de las demás. Posthorn lo intenta de nuevo con un proceso solo para ella, cada vez tras una pausa más larga. Avisa al operador.',
  ],
  quarantine_over: [
    'Durante uma hora nada aconteceu enquanto a conta ficou separada. O Posthorn se reconecta.',
    'Durante una hora no ocurrió nada mientras la cuenta estuvo separada. Posthorn se vuelve a conectar.',
  ],
  library_missing: [
    'A biblioteca desta rede não está instalada no servidor. Peça ao operador que instale as dependências opcionais do Posthorn.',
    'La biblioteca de esta red no está instalada en el servidor. Pídele al operador que instale las dependencias opcionales de Posthorn.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

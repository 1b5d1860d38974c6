import type { Translation } from '../core/translation.ts'

/** Why connections to servers of one's own choice end: finding them, logging in, and staying connected. */
export const loginReasonWords = {
  server_not_found: [
    'Nenhum servidor para o endereço foi encontrado no DNS. Verifique o domínio do endereço ou informe o servidor nas configurações.',
    'No se encontró en el DNS ningún servidor para la dirección. Verifica el dominio de la dirección o indica el servidor en la configuración.',
  ],
  connection_failed: ['A conexão falhou.', 'La conexión falló.'],
  connection_closed: ['O servidor fechou a conexão.', 'El servidor cerró la conexión.'],
  connect_timeout: [
    'O servidor não concluiu o login a tempo. Se o problema persistir, fale com o operador dele.',
    'El servidor no completó el inicio de sesión a tiempo. Si el problema persiste, consulta a su operador.',
  ],
  not_xmpp: [
    'O servidor não respondeu como um servidor desta rede. Verifique o host e a porta.',
    'El servidor no respondió como un servidor de esta red. Verifica el host y el puerto.',
  ],
  certificate_not_trusted: [
    'O Posthorn não confia no certificado do servidor. Ele precisa de um certificado válido para o domínio do endereço.',
    'Posthorn no confía en el certificado del servidor. Necesita un certificado válido para el dominio de la dirección.',
  ],
  login_too_long: [
    'O servidor enviou dados demais antes de concluir o login.',
    'El servidor envió demasiados datos antes de completar el inicio de sesión.',
  ],
  encryption_required: [
    'O servidor não oferece criptografia, e o Posthorn não envia nada sem ela. Ative-a no servidor.',
    'El servidor no ofrece cifrado, y Posthorn no envía nada sin él. Actívalo en el servidor.',
  ],
  not_authorized: [
    'O servidor recusou o endereço ou a senha. Informe a senha correta em “Substituir credenciais”.',
    'El servidor rechazó la dirección o la contraseña. Indica la contraseña correcta en “Reemplazar credenciales”.',
  ],
  password_missing: [
    'Não há senha para o login. Informe uma em “Substituir credenciais”.',
    'No hay contraseña para iniciar sesión. Indica una en “Reemplazar credenciales”.',
  ],
  credentials_expired: [
    'A senha expirou. Informe a nova em “Substituir credenciais”.',
    'La contraseña expiró. Indica la nueva en “Reemplazar credenciales”.',
  ],
  account_disabled: [
    'O servidor desativou a conta. Peça que ela seja reativada lá.',
    'El servidor desactivó la cuenta. Pide que la vuelvan a activar allí.',
  ],
  address_taken: [
    'A conta não pôde ser registrada porque já existe, e a senha dela não é conhecida. Informe a senha ou crie a instância com outro endereço.',
    'La cuenta no se pudo registrar porque ya existe, y no se conoce su contraseña. Indica la contraseña o crea la instancia con otra dirección.',
  ],
  no_common_mechanism: [
    'O servidor e o Posthorn não têm um método de autenticação em comum. Ative SCRAM-SHA-256, SCRAM-SHA-1 ou PLAIN no servidor.',
    'El servidor y Posthorn no tienen ningún método de autenticación en común. Activa SCRAM-SHA-256, SCRAM-SHA-1 o PLAIN en el servidor.',
  ],
  login_needs_encryption: [
    'O servidor não aceita senha nesta conexão sem criptografia.',
    'El servidor no acepta contraseñas en esta conexión sin cifrar.',
  ],
  temporary_auth_failure: [
    'O servidor não consegue verificar senhas no momento.',
    'El servidor no puede verificar contraseñas en este momento.',
  ],
  authentication_failed: [
    'O login falhou. Se o problema persistir, fale com o operador do servidor.',
    'El inicio de sesión falló. Si el problema persiste, consulta al operador del servidor.',
  ],
  login_too_costly: [
    'O servidor exige mais de 100.000 iterações de SCRAM. Faça com que exija menos, por exemplo 10.000.',
    'El servidor exige más de 100 000 iteraciones de SCRAM. Haz que exija menos, por ejemplo 10 000.',
  ],
  login_too_weak: [
    'O servidor exige poucas iterações de SCRAM, e a senha seria fácil demais de adivinhar. Faça com que exija pelo menos 4.096.',
    'El servidor exige muy pocas iteraciones de SCRAM, y la contraseña sería demasiado fácil de adivinar. Haz que exija al menos 4096.',
  ],
  server_not_trusted: [
    'O servidor não conseguiu provar que conhece a conta. Nada é enviado até que consiga.',
    'El servidor no pudo demostrar que conoce la cuenta. No se envía nada hasta que pueda.',
  ],
  no_resource: [
    'O servidor não atribuiu um recurso à conexão.',
    'El servidor no asignó un recurso a la conexión.',
  ],
  registration_deferred: [
    'O servidor não registra contas no momento.',
    'El servidor no registra cuentas en este momento.',
  ],
  registration_not_offered: [
    'O servidor não oferece registro de contas. Crie a conta lá e depois a instância com a senha, sem “Registrar”.',
    'El servidor no ofrece registrar cuentas. Crea allí la cuenta y después la instancia con la contraseña, sin “Registrar”.',
  ],
  registration_needs_a_person: [
    'Para registrar, o servidor pede mais do que nome e senha. Registre a conta você mesmo e crie a instância com a senha, sem “Registrar”.',
    'Para registrar, el servidor pide más que un nombre y una contraseña. Registra tú la cuenta y crea la instancia con la contraseña, sin “Registrar”.',
  ],
  registration_refused: [
    'O servidor recusou o registro da conta. Crie a conta lá e depois a instância com a senha, sem “Registrar”.',
    'El servidor rechazó registrar la cuenta. Crea allí la cuenta y después la instancia con la contraseña, sin “Registrar”.',
  ],
  acknowledgement_timeout: [
    'O servidor não confirmou uma mensagem a tempo.',
    'El servidor no confirmó un mensaje a tiempo.',
  ],
  acknowledgement_out_of_range: [
    'O servidor confirmou algo que nunca foi enviado.',
    'El servidor confirmó algo que nunca se envió.',
  ],
  connection_timeout: [
    'O servidor passou tempo demais sem receber nada do Posthorn.',
    'El servidor pasó demasiado tiempo sin recibir nada de Posthorn.',
  ],
  session_ended: ['O servidor encerrou a sessão.', 'El servidor cerró la sesión.'],
  stream_closed: ['O servidor encerrou o fluxo.', 'El servidor cerró el flujo.'],
  stream_rejected: [
    'O servidor rejeitou o fluxo. Se o problema persistir, fale com o operador dele.',
    'El servidor rechazó el flujo. Si el problema persiste, consulta a su operador.',
  ],
  stream_malformed: ['O servidor enviou XML inválido.', 'El servidor envió XML no válido.'],
  stanza_too_large: [
    'O servidor enviou um elemento grande demais.',
    'El servidor envió un elemento demasiado grande.',
  ],
  answers_not_taken: [
    'O servidor não lê o que o Posthorn envia.',
    'El servidor no lee lo que Posthorn envía.',
  ],
  policy_violation: [
    'Algo que o Posthorn enviou viola uma regra do servidor. Se o problema persistir, fale com o operador dele.',
    'Algo que Posthorn envió infringe una regla del servidor. Si el problema persiste, consulta a su operador.',
  ],
  redirected: [
    'O servidor redirecionou a conexão para outro host, e o Posthorn não segue redirecionamentos. Se esse host estiver certo, informe-o nas configurações da instância (`PATCH /v1/instances/{name}`).',
    'El servidor redirigió la conexión a otro host, y Posthorn no sigue redirecciones. Si ese host es el correcto, indícalo en la configuración de la instancia (`PATCH /v1/instances/{name}`).',
  ],
  domain_not_served: [
    'O servidor não atende o domínio do endereço. Verifique o domínio e o servidor nas configurações.',
    'El servidor no atiende el dominio de la dirección. Verifica el dominio y el servidor en la configuración.',
  ],
  server_shutdown: [
    'O servidor está sendo desligado ou pediu uma nova conexão.',
    'El servidor se está apagando o pidió una nueva conexión.',
  ],
  server_busy: [
    'O servidor está ocupado demais para a conexão no momento.',
    'El servidor está demasiado ocupado para la conexión en este momento.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

/** What networks restrict accounts in, or warn of. */
export const restrictionWords = {
  sandbox_quota: [
    'A rede de testes restringe a conta por um tempo, como pedem as configurações da instância.',
    'La red de pruebas restringe la cuenta por un tiempo, como pide la configuración de la instancia.',
  ],
  callbacks_failing: [
    'A rede não conseguiu entregar mensagens na URL de callback da instância. O envio continua. Peça ao operador que verifique se a rede alcança este servidor.',
    'La red no pudo entregar mensajes en la URL de callback de la instancia. El envío continúa. Pídele al operador que verifique que la red llega a este servidor.',
  ],
  spam_limit: [
    'A Meta restringe o número porque muitas das mensagens dele foram bloqueadas ou denunciadas. Verifique a qualidade do número na Meta.',
    'Meta restringe el número porque se bloquearon o denunciaron demasiados de sus mensajes. Verifica la calidad del número en Meta.',
  ],
  policy_block: [
    'A Meta bloqueou a conta por um tempo porque ela violou uma política. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
    'Meta bloqueó la cuenta por un tiempo porque infringió una política. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
  ],
  messaging_limit: [
    'A conta atingiu o número de pessoas a quem pode escrever primeiro. A Meta aumenta o limite de contas com boa qualidade.',
    'La cuenta alcanzó el número de personas a las que puede escribir primero. Meta amplía el límite de las cuentas con buena calidad.',
  ],
  account_restricted: [
    'A Meta restringe o que a conta comercial pode fazer, porque ela violou uma política. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
    'Meta restringe lo que la cuenta comercial puede hacer, porque infringió una política. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
  ],
  account_disabled: [
    'A Meta desativou a conta comercial porque ela violou uma política. Peça uma análise no suporte para empresas da Meta (Business Support Home).',
    'Meta desactivó la cuenta comercial porque infringió una política. Pide una revisión en la ayuda para empresas de Meta (Business Support Home).',
  ],
  account_disabled_soon: [
    'A Meta vai desativar a conta comercial porque ela violou uma política. Peça uma análise no suporte para empresas da Meta (Business Support Home).',
    'Meta va a desactivar la cuenta comercial porque infringió una política. Pide una revisión en la ayuda para empresas de Meta (Business Support Home).',
  ],
  account_violation: [
    'A conta comercial violou uma política da Meta. Descubra qual e elimine a causa: novas violações levam a restrições.',
    'La cuenta comercial infringió una política de Meta. Averigua cuál y elimina la causa: nuevas infracciones llevan a restricciones.',
  ],
  account_not_approved: [
    'A Meta analisou a conta comercial e ainda não a aprovou. Veja o motivo no suporte para empresas da Meta (Business Support Home).',
    'Meta revisó la cuenta comercial y aún no la ha aprobado. Consulta el motivo en la ayuda para empresas de Meta (Business Support Home).',
  ],
  payment_problem: [
    'A Meta não envia por um problema com o pagamento da conta comercial. Verifique a forma de pagamento na Meta. Nada é enviado por dez minutos.',
    'Meta no envía por un problema con el pago de la cuenta comercial. Verifica la forma de pago en Meta. No se envía nada durante diez minutos.',
  ],
  number_not_ready: [
    'O nome de exibição ou o certificado do número não foi aprovado. Verifique o número no Gerenciador do WhatsApp. Nada é enviado por dez minutos.',
    'El nombre visible o el certificado del número no está aprobado. Verifica el número en el Administrador de WhatsApp. No se envía nada durante diez minutos.',
  ],
  account_deleted: [
    'A Meta diz que a conta comercial foi excluída. Nada é enviado por um dia. Se a conta ainda existir, fale com a Meta.',
    'Meta dice que la cuenta comercial se eliminó. No se envía nada durante un día. Si la cuenta aún existe, consulta a Meta.',
  ],
  partner_removed: [
    'A Meta diz que a empresa não compartilha mais a conta com um parceiro, que pode ser o app desta instância. Enquanto a Meta aceitar o token, nada precisa ser feito.',
    'Meta dice que la empresa ya no comparte su cuenta con un socio, que puede ser la app de esta instancia. Mientras Meta acepte el token, no hay que hacer nada.',
  ],
  account_offboarded: [
    'A Meta desconectou o número da API porque o app foi movido para outro celular ou registrado de novo. Ela o reconecta se o dono do celular concordar.',
    'Meta desconectó el número de la API porque la app se pasó a otro teléfono o se registró de nuevo. Lo vuelve a conectar si el dueño del teléfono está de acuerdo.',
  ],
  quality_low: [
    'As pessoas bloqueiam ou denunciam mensagens do número, e a Meta avalia a qualidade dele como baixa. Envie só o que as pessoas esperam.',
    'La gente bloquea o denuncia mensajes del número, y Meta califica su calidad como baja. Envía solo lo que la gente espera.',
  ],
  reach_out_restricted: [
    'A rede não deixa a conta escrever para novos contatos, porque ela já escreveu para muitos. Ainda é possível responder a quem escreveu para a conta.',
    'La red no deja que la cuenta les escriba a contactos nuevos, porque ya les escribió a muchos. Todavía se puede responder a quien le escribió a la cuenta.',
  ],
  temporarily_banned: [
    'A rede baniu a conta por um tempo. Inicie a instância só quando o banimento acabar: cada tentativa antes disso piora a situação.',
    'La red suspendió la cuenta por un tiempo. Inicia la instancia solo cuando acabe la suspensión: cada intento anterior lo empeora.',
  ],
  new_chats_limit_near: [
    'A conta já escreveu para quase todos os novos contatos que a rede permite. Escreva para novos contatos mais devagar.',
    'La cuenta ya escribió a casi todos los contactos nuevos que la red permite. Escribe a contactos nuevos más despacio.',
  ],
  new_chats_limit: [
    'A conta já escreveu para todos os novos contatos que a rede permite. Ainda é possível responder a quem escreveu para a conta.',
    'La cuenta ya escribió a todos los contactos nuevos que la red permite. Todavía se puede responder a quien le escribió a la cuenta.',
  ],
} as const satisfies Readonly<Record<string, Translation>>

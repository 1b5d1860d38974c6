import { phrases } from '../../core/language.ts'

export const say = phrases({
  keep_session: [
    'Continue in the current session',
    'Continuar na sessão atual',
    'Seguir en la sesión actual',
  ],
  key: ['API key', 'Chave de API', 'Clave de API'],
  key_hint: [
    'It is exchanged for a session in this browser, and stored nowhere.',
    'Ela é trocada por uma sessão deste navegador e não é guardada em lugar nenhum.',
    'Se canjea por una sesión de este navegador y no se guarda en ningún sitio.',
  ],
  link_hint: [
    'Or ask the operator for a sign-in link, which this command prints:',
    'Ou peça ao operador um link de acesso, que este comando gera:',
    'O pídele al operador un enlace de acceso, que genera este comando:',
  ],
  plain_http: [
    'This page came over plain HTTP: others on the network can read what you enter. Use HTTPS.',
    'Esta página veio por HTTP sem criptografia: outros na rede podem ler o que você digita. Use HTTPS.',
    'Esta página llegó por HTTP sin cifrar: otros en la red pueden leer lo que escribes. Usa HTTPS.',
  ],
  submit: ['Sign in', 'Entrar', 'Iniciar sesión'],
  title: ['Sign in', 'Entrar', 'Iniciar sesión'],
  used_link: [
    'The link has expired or was used already. Each works once, for ten minutes.',
    'O link expirou ou já foi usado. Cada um funciona uma vez, por dez minutos.',
    'El enlace expiró o ya se usó. Cada uno funciona una vez, durante diez minutos.',
  ],
  what: [
    'See your instances and messages, and everything that happens to them.',
    'Veja suas instâncias e mensagens, e tudo o que acontece com elas.',
    'Consulta tus instancias y mensajes, y todo lo que ocurre con ellos.',
  ],
})

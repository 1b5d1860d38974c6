import { phrases } from '../../core/language.ts'

export const say = phrases({
  key: ['API key', 'Chave de API', 'Clave de API'],
  key_hint: [
    'It is exchanged for a session of this browser and kept nowhere.',
    'Ela é trocada por uma sessão deste navegador e não é guardada em lugar nenhum.',
    'Se canjea por una sesión de este navegador y no se guarda en ningún sitio.',
  ],
  link_hint: [
    'Or have the operator print a link that signs you in:',
    'Ou peça ao operador um link que faz o login:',
    'O pide al operador un enlace que inicia la sesión:',
  ],
  plain_http: [
    'This page came over plain HTTP: others on the way can read what you enter. Use HTTPS.',
    'Esta página veio por HTTP sem criptografia: outros no caminho podem ler o que você digita. Use HTTPS.',
    'Esta página llegó por HTTP sin cifrar: otros en el camino pueden leer lo que escribes. Usa HTTPS.',
  ],
  submit: ['Sign in', 'Entrar', 'Iniciar sesión'],
  title: ['Sign in', 'Entrar', 'Iniciar sesión'],
  what: [
    'See your instances and messages, and everything that happens to them.',
    'Veja suas instâncias e mensagens, e tudo o que acontece com elas.',
    'Mira tus instancias y mensajes, y todo lo que les pasa.',
  ],
})

export const signIn = {
  keep_session: 'Seguir en la sesión actual',
  key: 'Clave de API',
  key_hint: 'Se canjea por una sesión de este navegador y no se guarda en ningún sitio.',
  link_hint: 'O pídele al operador un enlace de acceso, que genera este comando:',
  plain_http:
    'Esta página llegó por HTTP sin cifrar: otros en la red pueden leer lo que escribes. Usa HTTPS.',
  submit: 'Iniciar sesión',
  title: 'Iniciar sesión',
  used_link: 'El enlace expiró o ya se usó. Cada uno funciona una vez, durante diez minutos.',
  what: 'Consulta tus instancias y mensajes, y todo lo que ocurre con ellos.',
} as const

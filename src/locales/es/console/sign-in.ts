export const signIn = {
  check_key:
    'Copia de nuevo la clave completa: empieza por phk_ y solo se muestra al crearla. Si se revocó o expiró, pide otra.',
  check_token:
    'Las claves empiezan por phk_; esto se tomó por el token del operador, que está en el archivo operator.token de la carpeta de datos del servidor.',
  command: 'Comando que genera un enlace de acceso',
  is_customers_link:
    'Este enlace es para que un cliente vincule una cuenta. Ábrelo como página; no da acceso a la consola.',
  keep_session: 'Seguir en la sesión actual',
  key: 'Clave de API o token del operador',
  key_hint: 'Tu navegador recibe una sesión a cambio y no guarda la clave en ningún sitio.',
  link_hint: '¿No tienes una clave? El operador obtiene un enlace de acceso con este comando:',
  not_accepted: 'El servidor no acepta esto.',
  plain_http:
    'Esta página llegó por HTTP sin cifrar: otros en la red pueden leer lo que escribes. Usa HTTPS.',
  submit: 'Iniciar sesión',
  title: 'Iniciar sesión en este servidor',
  used_link: 'El enlace expiró o ya se usó. Cada uno funciona una vez, durante diez minutos.',
} as const

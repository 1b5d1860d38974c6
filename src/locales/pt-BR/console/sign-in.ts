export const signIn = {
  keep_session: 'Continuar na sessão atual',
  key: 'Chave de API',
  key_hint: 'Ela é trocada por uma sessão deste navegador e não é guardada em lugar nenhum.',
  link_hint: 'Ou peça ao operador um link de acesso, que este comando gera:',
  plain_http:
    'Esta página veio por HTTP sem criptografia: outros na rede podem ler o que você digita. Use HTTPS.',
  submit: 'Entrar',
  title: 'Entrar',
  used_link: 'O link expirou ou já foi usado. Cada um funciona uma vez, por dez minutos.',
  what: 'Veja suas instâncias e mensagens, e tudo o que acontece com elas.',
} as const

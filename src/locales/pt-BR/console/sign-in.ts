export const signIn = {
  check_key:
    'Copie a chave inteira de novo: ela começa com phk_ e só é mostrada ao ser criada. Se foi revogada ou expirou, peça outra.',
  check_token:
    'Chaves começam com phk_; isto foi tratado como o token do operador, que está no arquivo operator.token na pasta de dados do servidor.',
  command: 'Comando que gera um link de acesso',
  is_customers_link:
    'Este link é para um cliente vincular uma conta. Abra-o como página; ele não dá acesso ao console.',
  keep_session: 'Continuar na sessão atual',
  key: 'Chave de API ou token do operador',
  key_hint: 'Seu navegador recebe uma sessão em troca e não guarda a chave em lugar nenhum.',
  link_hint: 'Sem chave à mão? O operador recebe um link de acesso com este comando:',
  not_accepted: 'O servidor não aceita isto.',
  plain_http:
    'Esta página veio por HTTP sem criptografia: outros na rede podem ler o que você digita. Use HTTPS.',
  submit: 'Entrar',
  title: 'Entrar neste servidor',
  used_link: 'O link expirou ou já foi usado. Cada um funciona uma vez, por dez minutos.',
} as const

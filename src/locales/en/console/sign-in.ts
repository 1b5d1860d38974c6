/** Signing in. */
export const signIn = {
  check_key:
    'Copy the whole key again: it begins with phk_ and is shown only when it is created. If it was revoked or has expired, ask for a new one.',
  check_token:
    'Keys begin with phk_; this was taken for the operator token, which is in the file operator.token in the data folder of the server.',
  command: 'Command that prints a sign-in link',
  is_customers_link:
    'This link is for a customer who links an account. Open it as a page; it signs nobody in.',
  keep_session: 'Continue in the current session',
  key: 'API key or operator token',
  key_hint: 'Your browser gets a session for it, and stores the key nowhere.',
  link_hint: 'No key at hand? The operator gets a sign-in link with this command:',
  not_accepted: 'The server does not accept this.',
  plain_http: 'This page came over plain HTTP: others on the network can read what you enter. Use HTTPS.',
  submit: 'Sign in',
  title: 'Sign in to this server',
  used_link: 'The link has expired or was used already. Each works once, for ten minutes.',
} as const

/** Signing in. */
export const signIn = {
  keep_session: 'Continue in the current session',
  key: 'API key',
  key_hint: 'It is exchanged for a session in this browser, and stored nowhere.',
  link_hint: 'Or ask the operator for a sign-in link, which this command prints:',
  plain_http: 'This page came over plain HTTP: others on the network can read what you enter. Use HTTPS.',
  submit: 'Sign in',
  title: 'Sign in',
  used_link: 'The link has expired or was used already. Each works once, for ten minutes.',
  what: 'See your instances and messages, and everything that happens to them.',
} as const

export const quotas = {
  limit: 'Limite',
  no_limit: 'sem limite',
  title: 'Cotas',
  used: 'Em uso',
  names: {
    file_bytes: 'Arquivos armazenados',
    stored_bytes: 'Mensagens armazenadas',
    unsettled_messages: 'Mensagens em espera',
    incoming_messages: 'Mensagens recebidas',
    waiting_callbacks: 'Callbacks em espera',
    waiting_callback_bytes: 'Tamanho dos callbacks em espera',
  },
} as const

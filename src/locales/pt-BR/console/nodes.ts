export const nodes = {
  copy_id: 'Copiar o ID',
  delivery_parts: 'Entregas: {parts} de 64',
  drain: 'Esvaziar',
  drain_what:
    'O nó entrega suas instâncias aos outros, o que interrompe a conexão de cada uma por um momento, e não assume nenhuma até ser iniciado de novo.',
  duties: 'Tarefas',
  hint: 'Os nós são os servidores que compartilham o banco de dados. Para parar um sem pressa, esvazie-o primeiro e espere até que não tenha instâncias.',
  housekeeping: 'Limpeza',
  id: 'ID',
  instances: 'Instâncias',
  last_seen: 'Visto',
  may_be_stopped: 'Pode ser parado',
  started: 'Iniciado',
  title: 'Nós',
  version: 'Versão',
} as const

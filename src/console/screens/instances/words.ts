import { phrases } from '../../core/language.ts'

export const say = phrases({
  empty: [
    'There is no instance yet. An instance is a durable connection to a messaging network, for example an account.',
    'Ainda não há nenhuma instância. Uma instância é uma conexão duradoura com uma rede de mensagens, por exemplo uma conta.',
    'Todavía no hay ninguna instancia. Una instancia es una conexión duradera con una red de mensajería, por ejemplo una cuenta.',
  ],
  next_attempt: ['Next attempt', 'Próxima tentativa', 'Próximo intento'],
  oldest: ['Oldest waiting', 'Mais antiga em espera', 'El más antiguo en espera'],
  queued: ['Waiting messages', 'Mensagens em espera', 'Mensajes en espera'],
  remove: ['Remove', 'Remover', 'Eliminar'],
  remove_what: [
    'Posthorn disconnects the account and cancels the messages that wait. Messages that were sent can still be read.',
    'O Posthorn desconecta a conta e cancela as mensagens em espera. As mensagens enviadas continuam legíveis.',
    'Posthorn desconecta la cuenta y cancela los mensajes en espera. Los mensajes enviados se pueden seguir leyendo.',
  ],
  removed: ['{name} is being removed.', '{name} está sendo removida.', '{name} se está eliminando.'],
  restart: ['Restart', 'Reiniciar', 'Reiniciar'],
  since: ['Since', 'Desde', 'Desde'],
  start: ['Start', 'Iniciar', 'Iniciar'],
  stop: ['Stop', 'Parar', 'Detener'],
  title: ['Instances', 'Instâncias', 'Instancias'],
  verified: ['Proven', 'Comprovada', 'Comprobada'],
})

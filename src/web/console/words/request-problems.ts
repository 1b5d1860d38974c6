import type { MetProblem, ProblemWords } from './problem-words.ts'

/** Problems of what was asked for: it is wrong, missing, or not allowed. */
export const requestProblems = {
  invalid_request: {
    title: [
      'Some values are not valid.',
      'Alguns valores não são válidos.',
      'Algunos valores no son válidos.',
    ],
    next: ['Correct them and try again.', 'Corrija-os e tente de novo.', 'Corrígelos y vuelve a intentarlo.'],
    adds: true,
  },
  unauthenticated: {
    title: ['The key is not valid.', 'A chave não é válida.', 'La clave no es válida.'],
    next: [
      'Check that it is complete and has not been revoked.',
      'Verifique se ela está completa e não foi revogada.',
      'Verifica que esté completa y no se haya revocado.',
    ],
  },
  key_expired: {
    title: ['The key has expired.', 'A chave expirou.', 'La clave expiró.'],
    next: [
      'Ask an administrator of your organization or the operator for a new one.',
      'Peça uma nova a um administrador da sua organização ou ao operador.',
      'Pide una nueva a un administrador de tu organización o al operador.',
    ],
  },
  forbidden: {
    title: [
      'This key may not do that.',
      'Esta chave não tem permissão para isso.',
      'Esta clave no tiene permiso para eso.',
    ],
    next: [
      'Sign in with a key that has the role for it, and is not limited to other instances.',
      'Entre com uma chave que tenha o papel necessário e não esteja limitada a outras instâncias.',
      'Inicia sesión con una clave que tenga el rol necesario y no esté limitada a otras instancias.',
    ],
    adds: true,
  },
  cross_origin: {
    title: [
      'The server takes this request for one from another page.',
      'O servidor considera que esta requisição veio de outra página.',
      'El servidor considera que esta solicitud viene de otra página.',
    ],
    next: [
      'Open the console at the URL that the operator gave you. If a proxy is in front, the operator must set POSTHORN_BASE_URL.',
      'Abra o console pela URL que o operador informou. Se houver um proxy na frente, o operador deve definir POSTHORN_BASE_URL.',
      'Abre la consola en la URL que te dio el operador. Si hay un proxy delante, el operador debe definir POSTHORN_BASE_URL.',
    ],
  },
  session_changed: {
    title: [
      'Another key has signed in in this browser.',
      'Alguém entrou com outra chave neste navegador.',
      'Alguien inició sesión con otra clave en este navegador.',
    ],
    next: [
      'Nothing was done. Reload the page.',
      'Nada foi feito. Recarregue a página.',
      'No se hizo nada. Recarga la página.',
    ],
  },
  route_not_found: {
    title: [
      'The server does not know this call.',
      'O servidor não conhece esta chamada.',
      'El servidor no conoce esta llamada.',
    ],
    next: [
      'It may have been updated. Reload the page.',
      'Ele pode ter sido atualizado. Recarregue a página.',
      'Puede que se haya actualizado. Recarga la página.',
    ],
  },
  instance_not_found: {
    title: ['There is no such instance.', 'Essa instância não existe.', 'Esa instancia no existe.'],
    next: [
      'Check the name. It may have been removed.',
      'Verifique o nome. Ela pode ter sido removida.',
      'Verifica el nombre. Puede que se haya eliminado.',
    ],
  },
  message_not_found: {
    title: ['There is no such message.', 'Essa mensagem não existe.', 'Ese mensaje no existe.'],
    next: [
      'Check the link. Old messages are removed after a time.',
      'Verifique o link. Mensagens antigas são removidas depois de um tempo.',
      'Verifica el enlace. Los mensajes antiguos se eliminan pasado un tiempo.',
    ],
  },
  webhook_not_found: {
    title: ['There is no such webhook.', 'Esse webhook não existe.', 'Ese webhook no existe.'],
    next: [
      'Check the link. It may have been removed.',
      'Verifique o link. Ele pode ter sido removido.',
      'Verifica el enlace. Puede que se haya eliminado.',
    ],
  },
  delivery_not_found: {
    title: ['There is no such delivery.', 'Essa entrega não existe.', 'Esa entrega no existe.'],
    next: [
      'Deliveries are kept only as long as their events.',
      'As entregas são mantidas só enquanto seus eventos existem.',
      'Las entregas se conservan solo mientras existen sus eventos.',
    ],
  },
  key_not_found: {
    title: ['There is no such key.', 'Essa chave não existe.', 'Esa clave no existe.'],
    next: [
      'It may no longer be kept. Reload the list.',
      'Talvez ela não exista mais. Atualize a lista.',
      'Puede que ya no exista. Actualiza la lista.',
    ],
  },
  organization_not_found: {
    title: ['There is no such organization.', 'Essa organização não existe.', 'Esa organización no existe.'],
    next: ['Check the name.', 'Verifique o nome.', 'Verifica el nombre.'],
  },
  media_not_found: {
    title: ['There is no such file.', 'Esse arquivo não existe.', 'Ese archivo no existe.'],
    next: [
      'The message has none, it could not be fetched, or it is no longer kept.',
      'A mensagem não tem arquivo, ou ele não pôde ser baixado ou não está mais disponível.',
      'El mensaje no tiene archivo, o este no se pudo descargar o ya no está disponible.',
    ],
  },
  not_supported_by_network: {
    title: ['The network cannot do this.', 'A rede não faz isso.', 'La red no puede hacer eso.'],
    next: [
      'Use an instance of another network for it.',
      'Use uma instância de outra rede para isso.',
      'Usa para ello una instancia de otra red.',
    ],
  },
  templates_not_supported: {
    title: ['The network has no templates.', 'A rede não tem modelos.', 'La red no tiene plantillas.'],
    next: [
      'Send a text, or use an instance of a network that has templates.',
      'Envie um texto ou use uma instância de uma rede que tenha modelos.',
      'Envía un texto o usa una instancia de una red que tenga plantillas.',
    ],
    adds: true,
  },
  setting_missing: {
    title: [
      'The instance lacks a setting.',
      'Falta uma configuração na instância.',
      'A la instancia le falta una configuración.',
    ],
    next: [
      'Create the instance anew with it.',
      'Crie a instância de novo com ela.',
      'Vuelve a crear la instancia con ella.',
    ],
    adds: true,
  },
  templates_being_listed: {
    title: [
      'The network is already being asked for the templates.',
      'Os modelos já estão sendo pedidos à rede.',
      'Ya se están pidiendo las plantillas a la red.',
    ],
    next: ['Try again in a moment.', 'Tente de novo em instantes.', 'Vuelve a intentarlo en un momento.'],
  },
  instance_not_connected: {
    title: [
      'The instance is not connected.',
      'A instância não está conectada.',
      'La instancia no está conectada.',
    ],
    next: [
      'Its status says why. Try again once it is connected.',
      'O status dela diz por quê. Tente de novo quando ela estiver conectada.',
      'Su estado dice por qué. Vuelve a intentarlo cuando esté conectada.',
    ],
    adds: true,
  },
  already_linked: {
    title: ['The account is linked already.', 'A conta já está vinculada.', 'La cuenta ya está vinculada.'],
    next: [
      'To link another one, log this one out first.',
      'Para vincular outra, desvincule antes esta.',
      'Para vincular otra, desvincula antes esta.',
    ],
  },
  link_kind_not_supported: {
    title: [
      'The network cannot link accounts in this way.',
      'A rede não permite vincular contas dessa forma.',
      'La red no permite vincular cuentas de esa forma.',
    ],
    next: ['Choose another way.', 'Escolha outra forma.', 'Elige otra forma.'],
    adds: true,
  },
  base_url_missing: {
    title: [
      'The server does not know its own URL.',
      'O servidor não sabe a própria URL.',
      'El servidor no conoce su propia URL.',
    ],
    next: [
      'Ask the operator to set POSTHORN_BASE_URL: link pages are opened there.',
      'Peça ao operador que defina POSTHORN_BASE_URL: as páginas de vínculo são abertas nela.',
      'Pídele al operador que defina POSTHORN_BASE_URL: allí se abren las páginas de vinculación.',
    ],
  },
  no_link_step: {
    title: [
      'There is nothing to do to link the account.',
      'Não há nada a fazer para vincular a conta.',
      'No hay nada que hacer para vincular la cuenta.',
    ],
    next: [
      'See the status of the instance.',
      'Veja o status da instância.',
      'Consulta el estado de la instancia.',
    ],
    adds: true,
  },
  logout_not_supported: {
    title: [
      'The network cannot log accounts out.',
      'A rede não permite desvincular contas.',
      'La red no permite desvincular cuentas.',
    ],
    next: [
      'Stop the instance, or remove it.',
      'Pare a instância ou remova-a.',
      'Detén la instancia o elimínala.',
    ],
  },
  link_not_asking: {
    title: [
      'The instance is not waiting for an answer.',
      'A instância não está esperando uma resposta.',
      'La instancia no está esperando una respuesta.',
    ],
    next: ['See what it asks for now.', 'Veja o que ela pede agora.', 'Consulta qué pide ahora.'],
  },
  network_refused: {
    title: ['The network refused.', 'A rede recusou.', 'La red lo rechazó.'],
    next: ['Its answer says why.', 'A resposta dela diz por quê.', 'Su respuesta dice por qué.'],
    adds: true,
  },
} as const satisfies Partial<Record<MetProblem, ProblemWords>>

import { phrases } from '../core/language.ts'

/** What every screen says. */
export const say = phrases({
  account: ['Account', 'Conta', 'Cuenta'],
  all: ['All', 'Todos', 'Todos'],
  all_instances: ['All instances', 'Todas as instâncias', 'Todas las instancias'],
  answered_strangely: [
    'The server answered with {status}, and this page does not understand the answer. A proxy in between may be the cause.',
    'O servidor respondeu com {status}, e esta página não entende a resposta. A causa pode ser um proxy no caminho.',
    'El servidor respondió con {status}, y esta página no entiende la respuesta. La causa puede ser un proxy intermedio.',
  ],
  call_behind: ['Show the API call', 'Mostrar a chamada da API', 'Mostrar la llamada a la API'],
  call_hint: [
    'To run it, put an API key into the variable POSTHORN_KEY.',
    'Para executá-la, coloque uma chave de API na variável POSTHORN_KEY.',
    'Para ejecutarla, pon una clave de API en la variable POSTHORN_KEY.',
  ],
  call_hint_operator: [
    "To run it, put the operator's token into the variable POSTHORN_KEY. It is in the file operator.token in the data folder of the server, unless POSTHORN_OPERATOR_TOKEN sets another.",
    'Para executá-la, coloque o token do operador na variável POSTHORN_KEY. Ele está no arquivo operator.token, na pasta de dados do servidor, a não ser que POSTHORN_OPERATOR_TOKEN defina outro.',
    'Para ejecutarla, pon el token del operador en la variable POSTHORN_KEY. Está en el archivo operator.token de la carpeta de datos del servidor, salvo que POSTHORN_OPERATOR_TOKEN defina otro.',
  ],
  cancel: ['Cancel', 'Cancelar', 'Cancelar'],
  close: ['Close', 'Fechar', 'Cerrar'],
  copied: ['Copied', 'Copiado', 'Copiado'],
  copy: ['Copy', 'Copiar', 'Copiar'],
  created: ['Created', 'Criação', 'Creación'],
  instance: ['Instance', 'Instância', 'Instancia'],
  load_more: ['Show more', 'Mostrar mais', 'Mostrar más'],
  loading: ['Loading…', 'Carregando…', 'Cargando…'],
  name: ['Name', 'Nome', 'Nombre'],
  network: ['Network', 'Rede', 'Red'],
  no: ['No', 'Não', 'No'],
  not_found: ['There is nothing here.', 'Não há nada aqui.', 'Aquí no hay nada.'],
  nothing_found: [
    'Nothing matches these filters.',
    'Nenhum resultado para estes filtros.',
    'Ningún resultado con estos filtros.',
  ],
  out_of_reach: [
    'The server is out of reach. Check your connection, and that the server is running.',
    'O servidor está inacessível. Verifique sua conexão e se o servidor está em execução.',
    'No se puede acceder al servidor. Verifica tu conexión y que el servidor esté en funcionamiento.',
  ],
  proxy_reaches_nobody: [
    'A proxy answered with {status}, because it does not reach the server. The server may be restarting: try again in a moment.',
    'Um proxy respondeu com {status}, porque não consegue acessar o servidor. O servidor pode estar reiniciando: tente de novo em instantes.',
    'Un proxy respondió con {status}, porque no puede acceder al servidor. Puede que el servidor se esté reiniciando: inténtalo de nuevo en un momento.',
  ],
  proxy_takes_less: [
    'A proxy answered with {status}: this is more than it lets through. Send less at once, or ask the operator to raise the limit of the proxy.',
    'Um proxy respondeu com {status}: isto é mais do que ele deixa passar. Envie menos de uma vez ou peça ao operador que aumente o limite do proxy.',
    'Un proxy respondió con {status}: esto es más de lo que deja pasar. Envía menos de una vez o pide al operador que aumente el límite del proxy.',
  ],
  raw: ['As JSON', 'Como JSON', 'Como JSON'],
  refresh: ['Refresh', 'Atualizar', 'Actualizar'],
  search: ['Search', 'Buscar', 'Buscar'],
  search_on: [
    'Nothing found so far. Keep searching',
    'Nada encontrado até agora. Continuar a busca',
    'Nada encontrado hasta ahora. Seguir buscando',
  ],
  skip: ['Skip to the content', 'Pular para o conteúdo', 'Saltar al contenido'],
  status: ['Status', 'Status', 'Estado'],
  time: ['Time', 'Data e hora', 'Fecha y hora'],
  try_again: ['Try again', 'Tentar de novo', 'Reintentar'],
  type_to_confirm: [
    'Type {name} to confirm',
    'Digite {name} para confirmar',
    'Escribe {name} para confirmar',
  ],
  yes: ['Yes', 'Sim', 'Sí'],
})

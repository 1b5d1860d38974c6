import { phrases } from '../core/language.ts'

/** What the frame around the screens says. */
export const say = phrases({
  appearance: ['Appearance', 'Aparência', 'Apariencia'],
  auto: ['System', 'Sistema', 'Sistema'],
  connection: ['Connection to the server', 'Conexão com o servidor', 'Conexión con el servidor'],
  dark: ['Dark', 'Escura', 'Oscura'],
  key_with_role: ['{role} key', 'Chave {role}', 'Clave {role}'],
  language: ['Language', 'Idioma', 'Idioma'],
  last_known: ['Last known', 'Última informação:', 'Última información:'],
  light: ['Light', 'Clara', 'Clara'],
  live: ['Live', 'Ao vivo', 'En vivo'],
  lost: [
    'The server is out of reach. What you see may have changed.',
    'O servidor está inacessível. O que você vê pode ter mudado.',
    'No se puede acceder al servidor. Lo que ves puede haber cambiado.',
  ],
  menu: ['Menu', 'Menu', 'Menú'],
  not_live: ['Not live', 'Sem conexão ao vivo', 'Sin conexión en vivo'],
  operator: ['Operator', 'Operador', 'Operador'],
  other_signed_in: [
    'Another key has signed in',
    'Alguém entrou com outra chave',
    'Alguien inició sesión con otra clave',
  ],
  other_signed_in_hint: [
    'In another tab of this browser, somebody signed in with another key. This tab does nothing more with the first one.',
    'Em outra aba deste navegador, alguém entrou com outra chave. Esta aba não faz mais nada com a primeira.',
    'En otra pestaña de este navegador, alguien inició sesión con otra clave. Esta pestaña ya no hace nada con la primera.',
  ],
  reached_again: [
    'The server is back, and everything is up to date.',
    'O servidor voltou e tudo está atualizado.',
    'El servidor ha vuelto y todo está actualizado.',
  ],
  reference: ['API reference', 'Referência da API', 'Referencia de la API'],
  reload: ['Continue with the other key', 'Continuar com a outra chave', 'Continuar con la otra clave'],
  rereading: [
    'Changes do not arrive by themselves at the moment. This page reads them every few seconds.',
    'As mudanças não estão chegando por conta própria. Esta página as busca a cada poucos segundos.',
    'Los cambios no llegan por sí solos en este momento. Esta página los consulta cada pocos segundos.',
  ],
  shortcut_close: ['Close the dialog', 'Fechar a caixa de diálogo', 'Cerrar el cuadro de diálogo'],
  shortcut_rows: ['Move between rows', 'Mover-se entre as linhas', 'Moverse entre las filas'],
  shortcut_search: ['Search', 'Buscar', 'Buscar'],
  shortcuts: ['Keyboard shortcuts', 'Atalhos de teclado', 'Atajos de teclado'],
  sign_out: ['Sign out', 'Sair', 'Cerrar sesión'],
  sign_out_everywhere: [
    'Sign out everywhere',
    'Sair de todos os navegadores',
    'Cerrar sesión en todas partes',
  ],
  try_now: ['Try again now', 'Tentar de novo agora', 'Reintentar ahora'],
  trying: [
    'The page keeps trying by itself.',
    'A página continua tentando sozinha.',
    'La página sigue intentándolo sola.',
  ],
})

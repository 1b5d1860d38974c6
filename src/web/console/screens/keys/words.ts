import { phrases } from '../../core/language.ts'

export const say = phrases({
  active: ['Valid', 'Válida', 'Válida'],
  copy_id: ['Copy the ID', 'Copiar o ID', 'Copiar el ID'],
  create_key: ['New key', 'Nova chave', 'Nueva clave'],
  create_organization: ['New organization', 'Nova organização', 'Nueva organización'],
  expired: ['Expired', 'Expirada', 'Expirada'],
  expires: ['Expires', 'Expira', 'Expira'],
  expires_hint: [
    'Leave it empty for a key that is valid until it is revoked.',
    'Deixe em branco para que a chave valha até ser revogada.',
    'Déjalo vacío para que la clave sea válida hasta que se revoque.',
  ],
  instances: ['Instances', 'Instâncias', 'Instancias'],
  instances_all: ['All', 'Todas', 'Todas'],
  instances_hint: [
    'The instances that the key is limited to, separated by commas. Leave it empty for all.',
    'As instâncias às quais a chave se limita, separadas por vírgulas. Deixe em branco para todas.',
    'Las instancias a las que se limita la clave, separadas por comas. Déjalo vacío para todas.',
  ],
  key: ['Key', 'Chave', 'Clave'],
  key_once: [
    'It is shown only this once, and stored nowhere. Keep it where you keep your secrets.',
    'Ela é mostrada só desta vez e não é guardada em lugar nenhum. Guarde-a onde você guarda seus segredos.',
    'Solo se muestra esta vez y no se guarda en ningún sitio. Guárdala donde guardas tus secretos.',
  ],
  keys: ['Keys', 'Chaves', 'Claves'],
  last_used: ['Last used', 'Último uso', 'Último uso'],
  no_keys: [
    'There is no key. Create one for each program, so that you can revoke it alone.',
    'Não há nenhuma chave. Crie uma para cada programa, assim você pode revogar só ela.',
    'No hay ninguna clave. Crea una para cada programa, así puedes revocar solo esa.',
  ],
  no_organizations: [
    'There is no organization yet. Create one for each partner, then its first admin key.',
    'Ainda não há nenhuma organização. Crie uma para cada parceiro e depois a primeira chave admin dela.',
    'Todavía no hay ninguna organización. Crea una para cada socio y luego su primera clave admin.',
  ],
  organization_name_hint: [
    'Lower-case letters, digits and hyphens.',
    'Letras minúsculas, dígitos e hifens.',
    'Letras minúsculas, dígitos y guiones.',
  ],
  organizations: ['Organizations', 'Organizações', 'Organizaciones'],
  own: [
    'This is the key that you are signed in with: revoking it signs you out.',
    'Esta é a chave com que você entrou: revogá-la encerra sua sessão.',
    'Esta es la clave con la que iniciaste sesión: revocarla cierra tu sesión.',
  ],
  revoke: ['Revoke', 'Revogar', 'Revocar'],
  revoke_what: [
    'Whoever uses this key will be refused from then on. This cannot be undone.',
    'Quem usar esta chave será recusado a partir de então. Isso não pode ser desfeito.',
    'Quien use esta clave será rechazado a partir de entonces. Esto no se puede deshacer.',
  ],
  revoked: ['Revoked', 'Revogada', 'Revocada'],
  role: ['Role', 'Papel', 'Rol'],
  role_admin: ['admin: everything', 'admin: tudo', 'admin: todo'],
  role_read: ['read: only reads', 'read: só lê', 'read: solo lee'],
  role_send: ['send: reads and sends', 'send: lê e envia', 'send: lee y envía'],
  show_revoked: ['Show revoked keys', 'Mostrar chaves revogadas', 'Mostrar claves revocadas'],
})

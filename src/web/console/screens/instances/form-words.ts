import { phrases } from '../../core/language.ts'
import { fieldLabels } from '../../words/networks.ts'

export const say = phrases({
  add_label: ['Add a label', 'Adicionar etiqueta', 'Agregar etiqueta'],
  by_default: ['{value} (default)', '{value} (padrão)', '{value} (predeterminado)'],
  choose: ['Choose…', 'Escolha…', 'Elige…'],
  create: ['Create instance', 'Criar instância', 'Crear instancia'],
  credentials: ['Credentials', 'Credenciais', 'Credenciales'],
  credentials_hint: [
    'Stored encrypted, and never shown again.',
    'Ficam criptografadas e nunca são mostradas de novo.',
    'Se guardan cifradas y no se vuelven a mostrar.',
  ],
  default_is: ['Default: {value}.', 'Padrão: {value}.', 'Valor predeterminado: {value}.'],
  fix_fields: [
    'Some values are not right yet. Each one says why.',
    'Alguns valores ainda não estão certos. Cada um diz por quê.',
    'Algunos valores aún no son correctos. Cada uno indica por qué.',
  ],
  label_name: ['Label', 'Etiqueta', 'Etiqueta'],
  label_value: ['Value', 'Valor', 'Valor'],
  labels: ['Labels', 'Etiquetas', 'Etiquetas'],
  labels_hint: [
    'Your own notes, for example a customer number. They are part of the instance and of its events.',
    'Suas próprias anotações, por exemplo um número de cliente. Elas fazem parte da instância e dos eventos dela.',
    'Tus propias anotaciones, por ejemplo un número de cliente. Forman parte de la instancia y de sus eventos.',
  ],
  name_hint: [
    'Lower-case letters, digits, - and _. Your programs use it in their calls.',
    'Letras minúsculas, dígitos, - e _. Seus programas o usam nas chamadas.',
    'Minúsculas, dígitos, - y _. Tus programas lo usan en sus llamadas.',
  ],
  no_credentials: [
    'This network needs none: a person links the account afterwards.',
    'Esta rede não precisa de nenhuma: uma pessoa vincula a conta depois.',
    'Esta red no necesita ninguna: una persona vincula la cuenta después.',
  ],
  not_json: ['This is not JSON.', 'Isto não é JSON.', 'Esto no es JSON.'],
  not_set: ['Not set', 'Não definido', 'Sin definir'],
  remove_label: ['Remove this label', 'Remover esta etiqueta', 'Quitar esta etiqueta'],
  replace: ['Replace credentials', 'Substituir credenciais', 'Reemplazar credenciales'],
  replace_what: [
    'The new ones replace all that are stored, and the instance connects with them. Waiting messages are kept.',
    'As novas substituem todas as guardadas, e a instância se conecta com elas. As mensagens em espera são mantidas.',
    'Las nuevas reemplazan a todas las guardadas, y la instancia se conecta con ellas. Los mensajes en espera se conservan.',
  ],
  replaced: [
    'The credentials were replaced.',
    'As credenciais foram substituídas.',
    'Las credenciales se reemplazaron.',
  ],
  settings: ['Settings', 'Configurações', 'Configuración'],
  title: ['New instance', 'Nova instância', 'Nueva instancia'],
  will_be_sent: ['What will be sent', 'O que será enviado', 'Lo que se enviará'],
})

const sayField = phrases(fieldLabels)

/** What a field of a network is called. */
export function fieldName(name: string): string {
  if (Object.hasOwn(fieldLabels, name)) return sayField(name as keyof typeof fieldLabels)
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

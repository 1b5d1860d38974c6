/** The forms of an instance: its settings, credentials and labels. */
export const instanceForm = {
  add_label: 'Add a label',
  by_default: '{value} (default)',
  choose: 'Choose…',
  create: 'Create instance',
  credentials: 'Credentials',
  credentials_hint: 'Stored encrypted, and never shown again.',
  default_is: 'Default: {value}.',
  fix_fields: 'Some values are not right yet. Each one says why.',
  label_name: 'Label',
  label_value: 'Value',
  labels: 'Labels',
  labels_hint:
    'Your own notes, for example a customer number. They are part of the instance and of its events.',
  name_hint: 'Lower-case letters, digits, - and _. Your programs use it in their calls.',
  no_credentials: 'This network needs none: a person links the account afterwards.',
  not_json: 'This is not JSON.',
  not_set: 'Not set',
  remove_label: 'Remove this label',
  replace: 'Replace credentials',
  replace_what:
    'The new ones replace all that are stored, and the instance connects with them. Waiting messages are kept.',
  replaced: 'The credentials were replaced.',
  settings: 'Settings',
  title: 'New instance',
  will_be_sent: 'What will be sent',
} as const

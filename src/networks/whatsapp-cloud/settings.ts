import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { SealedCredentials, Settings, SettingsFault } from '../driver/account.ts'

const graphId = '^[0-9]{5,30}$'

/** Secrets go into a header or are compared byte by byte. */
const secret = '^[\\x21-\\x7e]+$'
const secretForm = { pattern: secret, minLength: 8, maxLength: 256 }

const usualVersion = 'v26.0'

export const settingsSchema = Type.Object(
  {
    phone_number_id: Type.String({
      description:
        'The id of the business phone number, from “API Setup” of the app at Meta. It is not the phone number itself.',
      pattern: graphId,
      maxLength: 30,
      examples: ['106540352242922'],
    }),
    business_account_id: Type.Optional(
      Type.String({
        description:
          'The id of the WhatsApp Business Account that the number belongs to. With it, its templates can be ' +
          'listed, and what Meta says about other accounts of the app is left out.',
        pattern: graphId,
        maxLength: 30,
        examples: ['102290129340398'],
      }),
    ),
    api_version: Type.Optional(
      Type.String({
        description: 'The version of the Graph API. Meta supports each for about two years.',
        pattern: '^v[0-9]{1,3}\\.[0-9]$',
        maxLength: 6,
        default: usualVersion,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { phone_number_id: '106540352242922' },
      {
        phone_number_id: '106540352242922',
        business_account_id: '102290129340398',
        api_version: usualVersion,
      },
    ],
  },
)

export const credentialsSchema = Type.Object(
  {
    access_token: Type.String({
      description:
        'A token of a system user with the permissions `whatsapp_business_messaging` and `whatsapp_business_management`.',
      pattern: secret,
      minLength: 1,
      maxLength: 1024,
      examples: ['EAAexample'],
    }),
    app_secret: Type.Optional(
      Type.String({
        description:
          'The secret of your app, with which Meta signs its callbacks, and with which every request is proven to come from the app ' +
          '(`appsecret_proof`). Leave it out, with `verify_token`, to use the app of the operator, if this server has one.',
        ...secretForm,
        examples: ['0123456789abcdef0123456789abcdef'],
      }),
    ),
    verify_token: Type.Optional(
      Type.String({
        description:
          'A word of your own. Enter the same at Meta with the callback URL, so that Meta can check the URL.',
        ...secretForm,
        examples: ['a-word-of-your-own'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        access_token: 'EAAexample',
        app_secret: '0123456789abcdef0123456789abcdef',
        verify_token: 'a-word-of-your-own',
      },
    ],
  },
)

export type CloudSettings = Static<typeof settingsSchema>
export type CloudCredentials = Static<typeof credentialsSchema>

/** Finds the faults that the schemas cannot express. `hasApp` is true if the operator has an app that instances may use. */
export function check(
  hasApp: boolean,
  settings: Settings,
  credentials: SealedCredentials,
): readonly SettingsFault[] {
  const { phone_number_id, business_account_id } = settings as CloudSettings
  const { access_token, app_secret, verify_token } = credentials as CloudCredentials
  const faults: SettingsFault[] = []
  if (business_account_id === phone_number_id)
    faults.push({
      pointer: '/settings/business_account_id',
      code: 'ids_equal',
      detail: 'The phone number and its business account have different ids. Meta shows both in “API Setup”.',
    })
  const isOwnApp = app_secret !== undefined || verify_token !== undefined
  if (isOwnApp || !hasApp) {
    if (app_secret === undefined) faults.push(missing('app_secret', hasApp))
    if (verify_token === undefined) faults.push(missing('verify_token', hasApp))
  }
  if (verify_token !== undefined && (verify_token === app_secret || verify_token === access_token))
    faults.push({
      pointer: '/credentials/verify_token',
      code: 'verify_token_not_separate',
      detail:
        'The verify token is part of a URL that Meta asks for. Choose a word that is not a secret of the app.',
    })
  return faults
}

function missing(name: 'app_secret' | 'verify_token', hasApp: boolean): SettingsFault {
  const detail = hasApp
    ? 'An app of your own needs both `app_secret` and `verify_token`. Give both, or neither, to use the app of the operator.'
    : 'Meta proves with it that it sent a callback. The operator of this server has no app of their own that you could use instead.'
  return { pointer: `/credentials/${name}`, code: `${name}_missing`, detail }
}

/** Secrets that Meta proves its identity with: the secret of the app, and the word that is entered with the URL. */
export type CloudApp = Required<Pick<CloudCredentials, 'app_secret' | 'verify_token'>>

/** The version of the Graph API that an instance uses. */
export function versionIn({ api_version = usualVersion }: CloudSettings): string {
  return api_version
}

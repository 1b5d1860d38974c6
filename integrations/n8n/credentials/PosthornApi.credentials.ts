import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow'

/** The server and an API key of it. */
export class PosthornApi implements ICredentialType {
  name = 'posthornApi'

  displayName = 'Posthorn API'

  icon = {
    light: 'file:../icons/posthorn.svg',
    dark: 'file:../icons/posthorn.dark.svg',
  } as const

  documentationUrl = 'https://posthorn.example/n8n'

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://messages.example.org',
      description: 'The URL of the server',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description:
        'A key that begins with phk_. Its role decides what the nodes may do: the trigger needs the role admin, sending the role send.',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url}}', url: '/v1/me', disableFollowRedirect: true },
  }
}

import type { INodeProperties } from 'n8n-workflow'

const show = { resource: ['message'], operation: ['sendFile'] }

/** The fields of a file that is sent. */
export const fileFields: INodeProperties[] = [
  {
    displayName: 'File From',
    name: 'source',
    type: 'options',
    options: [
      { name: 'Input', value: 'binary', description: 'A file of the item' },
      { name: 'URL', value: 'url', description: 'A file that Posthorn fetches' },
    ],
    default: 'binary',
    displayOptions: { show },
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    hint: 'The name of the input field that contains the file',
    displayOptions: { show: { ...show, source: ['binary'] } },
  },
  {
    displayName: 'File URL',
    name: 'url',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'https://example.org/invoice.pdf',
    displayOptions: { show: { ...show, source: ['url'] } },
    description: 'A public URL over HTTPS, unless the operator allows others',
  },
  {
    displayName: 'Kind',
    name: 'kind',
    type: 'options',
    options: [
      { name: 'Audio', value: 'audio' },
      { name: 'Document', value: 'document' },
      { name: 'Image', value: 'image' },
      { name: 'Sticker', value: 'sticker' },
      { name: 'Video', value: 'video' },
    ],
    default: 'document',
    displayOptions: { show },
    description: 'How the recipient sees it',
  },
  {
    displayName: 'File Options',
    name: 'fileOptions',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: { show },
    options: [
      {
        displayName: 'Caption',
        name: 'caption',
        type: 'string',
        default: '',
        description: 'A text that is shown with the file',
      },
      {
        displayName: 'File Name',
        name: 'filename',
        type: 'string',
        default: '',
        description: 'The name that the recipient sees; by default, the one of the file',
      },
      {
        displayName: 'Voice Note',
        name: 'voice',
        type: 'boolean',
        default: false,
        description: 'Whether audio is sent as a voice note, if the network has them',
      },
    ],
  },
]

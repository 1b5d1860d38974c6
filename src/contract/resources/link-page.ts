import type { Static } from 'typebox'
import { id, moment, oneOf, orNull, record } from '../scalars.ts'
import Type from '../type.ts'
import { Link } from './instance.ts'

/** The languages of the page. */
export const linkPageLanguages = ['en', 'pt-BR', 'es'] as const

/** The largest picture of a business: in bytes, and in pixels along each side. */
export const largestPagePicture = { bytes: 64 * 1024, side: 1024 } as const

const title = {
  minLength: 1,
  maxLength: 80,
  description: 'The name of your business, which the page shows to the person.',
  examples: ['Bakery Ana'],
}

export const CreateLinkPage = record('CreateLinkPage', {
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 604_800,
      default: 86_400,
      description: 'The time for which the page can be used.',
    }),
  ),
  title: Type.Optional(Type.String(title)),
  picture: Type.Optional(
    Type.String({
      // Twice the limit, so that the error for a somewhat larger picture gives its size, and not the length of its text.
      maxLength: 8 * Math.ceil(largestPagePicture.bytes / 3),
      contentEncoding: 'base64',
      description:
        'A picture of your business, such as its logo, as base64: a PNG or JPEG of at most 64 KB and 1024 × 1024 pixels. ' +
        'The page shows it next to the `title`, which is required with a picture, because screen readers read it out ' +
        'instead. The server keeps the picture with the page, because a URL would show another server who opens the page.',
      examples: ['iVBORw0KGgoAAAANSUhEUgAA…'],
    }),
  ),
  language: Type.Optional(
    oneOf(linkPageLanguages, {
      title: 'LinkPageLanguage',
      description: 'The language of the page. By default, that of the browser, if the page has it.',
    }),
  ),
})
export type CreateLinkPage = Static<typeof CreateLinkPage>

export const LinkPage = record(
  'LinkPage',
  {
    id: id('lnk', 'Identifies the page in the audit log.'),
    url: Type.String({
      description:
        'Send it to the owner of the phone. Its fragment is a secret that is shown only this once, because the holder of the ' +
        'URL can link the account.',
      examples: ['https://posthorn.example/link#phl_…'],
    }),
    expires_at: moment('When the page ends, unless something ends it earlier.'),
  },
  'A page on which a person without a key can link the account of one instance.',
)
export type LinkPage = Static<typeof LinkPage>

export const linkPageStates = ['ready', 'linking', 'linked', 'failed'] as const

export const LinkPageView = record(
  'LinkPageView',
  {
    title: orNull(Type.String({ ...title, description: 'The name of the business, if it gave one.' })),
    has_picture: Type.Boolean({
      description: 'Whether there is a picture of the business, which `GET /v1/link-page/picture` returns.',
    }),
    language: orNull(Type.String({ description: 'The language of the page, if one was chosen.' })),
    network: Type.String({ description: 'The title of the messaging network.', examples: ['WhatsApp'] }),
    kinds: Type.Array(
      oneOf(['qr', 'code'], { title: 'LinkPageKind', description: 'A way to link an account.' }),
      { description: 'The ways in which the account can be linked.' },
    ),
    state: oneOf(linkPageStates, {
      title: 'LinkPageState',
      description:
        '`ready`: the person can begin. `linking`: they take the `step`, or wait for one while it is null. `linked`: the ' +
        'account is linked, and nothing is left to do. `failed`: the network rejected the link; they can begin again.',
    }),
    step: orNull(Link),
    expires_at: moment('When the page ends.'),
  },
  'The contents of a link page. Its token gives access to nothing more.',
)
export type LinkPageView = Static<typeof LinkPageView>

import { invalid, type Problem } from '../../contract/problem.ts'
import { type CreateLinkPage, largestPagePicture } from '../../contract/resources/link-page.ts'
import { imageSize } from '../../media/content/image-size.ts'
import { imageType } from '../../media/content/media-type.ts'
import { sizeInWords } from '../../runtime/text/size.ts'

/** A picture of a business, which its link page shows. */
export interface PagePicture {
  readonly type: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array
}

/** The picture that a new link page is given, if there is one. Throws the problem of one that the page could not show. */
export function readPagePicture({ picture, title }: CreateLinkPage): PagePicture | undefined {
  if (picture === undefined) return undefined
  if (title === undefined) {
    const detail = 'The value is required with a picture, because screen readers read it out instead.'
    throw invalid({ pointer: '/title', code: 'missing', detail })
  }
  if (!isBase64(picture))
    throw unfit('wrong_form', 'The value must be base64, without `data:` in front of it.')
  const bytes = new Uint8Array(Buffer.from(picture, 'base64'))
  const { bytes: most, side } = largestPagePicture
  if (bytes.length > most) throw tooLarge(sizeInWords(most), sizeInWords(bytes.length))
  const type = imageType(bytes)
  if (type !== 'image/png' && type !== 'image/jpeg') {
    const found = type === undefined ? '' : `, and not ${type.slice('image/'.length).toUpperCase()}`
    throw unfit('wrong_form', `The picture must be a PNG or JPEG by its bytes${found}.`)
  }
  const size = imageSize(type, bytes)
  if (!size || size.width === 0 || size.height === 0)
    throw unfit('wrong_form', 'The picture does not contain its size: it is damaged or incomplete.')
  if (size.width > side || size.height > side)
    throw tooLarge(`${side} × ${side} pixels`, `${size.width} × ${size.height}`)
  return { type, bytes }
}

/** Base64 as RFC 4648 has it in section 4. What decodes it passes over anything else. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

function tooLarge(most: string, given: string): Problem {
  return unfit('too_large', `The picture may have at most ${most}, and this one has ${given}.`)
}

function unfit(code: string, detail: string): Problem {
  return invalid({ pointer: '/picture', code, detail })
}

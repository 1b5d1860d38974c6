import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { MediaKind, Message } from '../../../../contract/resources/message.ts'
import { bytes } from '../../../browser/numbers.ts'
import { urlOf } from '../../core/api.ts'
import { say } from '../../words/say.ts'
import { Icon } from '../icon.ts'

/** The types that are shown in the page; their bytes were looked at. Everything else can only be saved. */
const shownTypes = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  audio: ['audio/ogg', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/wav', 'audio/flac', 'audio/webm'],
  video: ['video/mp4', 'video/webm'],
}

/** Age of a message, in milliseconds, up to which its picture is loaded without a click: older files may be gone. */
const keptAtLeast = 24 * 60 * 60 * 1000

interface FileProps {
  readonly message: Message
  readonly media: NonNullable<Message['media']>
}

/** The file of a message: shown if it is a picture, a sound or a video of a known type, and else to be saved. */
export function MessageFile({ message, media }: FileProps) {
  const name = media.filename ?? say(`message.kinds.${message.kind}`)
  const url = urlOf('getMessageMedia', { params: { id: message.id } }).href
  if (media.mime_type === null)
    return h(
      'p',
      { class: 'file small' },
      h(Icon, { name: 'file' }),
      name,
      ' · ',
      say('message.file_pending'),
    )
  const type = media.mime_type.split(';')[0]?.trim() ?? ''
  const player = { src: url, controls: true, preload: 'none', 'aria-label': name } as const
  return [
    shownTypes.image.includes(type) &&
      h(Picture, { url, name, at: message.created_at, isSticker: message.kind === 'sticker' }),
    shownTypes.audio.includes(type) && h('audio', player),
    shownTypes.video.includes(type) && h('video', { ...player, playsInline: true }),
    h(
      'p',
      { class: 'file' },
      h(Icon, { name: 'file' }),
      h('a', { href: url, download: name, 'aria-label': say('message.download', { name }) }, name),
      ' ',
      h(
        'span',
        { class: 'small' },
        [type, media.size === null ? '' : bytes(media.size)].filter(Boolean).join(' · '),
      ),
    ),
  ]
}

interface PictureProps {
  readonly url: string
  readonly name: string
  readonly at: string
  readonly isSticker: boolean
}

function Picture({ url, name, at, isSticker }: PictureProps) {
  const [isAsked, setAsked] = useState(Date.now() - Date.parse(at) < keptAtLeast)
  const [isGone, setGone] = useState(false)
  if (isGone) return h('p', { class: 'small' }, say('message.file_gone'))
  if (!isAsked)
    return h('button', { type: 'button', onClick: () => setAsked(true) }, say('message.show_file', { name }))
  return h('img', {
    src: url,
    alt: name,
    loading: 'lazy',
    class: isSticker ? 'picture sticker' : 'picture',
    onError: () => setGone(true),
  })
}

/**
 * Returns the kinds as which a file can be sent, the best first, by the type that the browser knows it under and by the kinds
 * that the network takes, if it is known.
 */
export function mediaKindsOf(
  type: string,
  taken?: Readonly<Partial<Record<MediaKind, number>>>,
): MediaKind[] {
  const fitting: readonly MediaKind[] = shownTypes.image.includes(type)
    ? ['image', 'sticker']
    : type.startsWith('audio/')
      ? ['audio']
      : type.startsWith('video/')
        ? ['video']
        : []
  return [...fitting.filter((kind) => !taken || taken[kind] !== undefined), 'document']
}

import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { MediaKind, Message } from '../../../../contract/resources/message.ts'
import { bytes } from '../../../browser/numbers.ts'
import { urlOf } from '../../core/api.ts'
import { say } from '../../words/say.ts'
import { Dialog } from '../dialog.ts'
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
  const isSticker = message.kind === 'sticker'
  const shown = {
    picture: shownTypes.image.includes(type),
    audio: shownTypes.audio.includes(type),
    video: shownTypes.video.includes(type),
  }
  const isMeantToBeShown = message.kind !== 'document' && !Object.values(shown).includes(true)
  return [
    shown.picture && h(Picture, { url, name, at: message.created_at, isSticker }),
    (shown.audio || shown.video) && h(Player, { kind: shown.video ? 'video' : 'audio', url, name }),
    isMeantToBeShown && h('p', { class: 'small' }, say('message.not_shown', { kind: kindOf(message) })),
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

const kindOf = ({ kind }: Message) => say(`message.kinds.${kind}`)

interface PlayerProps {
  readonly kind: 'audio' | 'video'
  readonly url: string
  readonly name: string
}

/** Plays a sound or a video. Nothing is loaded before the person asks; a browser may lack what it takes to play it. */
function Player({ kind, url, name }: PlayerProps) {
  const [hasFailed, setFailed] = useState(false)
  if (hasFailed)
    return h('p', { class: 'small' }, say('message.not_shown', { kind: say(`message.kinds.${kind}`) }))
  return h(kind, {
    src: url,
    controls: true,
    preload: 'none',
    'aria-label': name,
    onError: () => setFailed(true),
    ...(kind === 'video' ? { playsInline: true } : {}),
  })
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
  const [isLarge, setLarge] = useState(false)
  if (isGone) return h('p', { class: 'small' }, say('message.file_gone'))
  if (!isAsked)
    return h('button', { type: 'button', onClick: () => setAsked(true) }, say('message.show_file', { name }))
  const picture = { src: url, alt: name, loading: 'lazy' as const, onError: () => setGone(true) }
  if (isSticker) return h('img', { ...picture, class: 'picture sticker' })
  const label = say('message.enlarge', { name })
  return [
    h(
      'button',
      { type: 'button', class: 'enlarge', onClick: () => setLarge(true), 'aria-label': label, title: label },
      h('img', { ...picture, class: 'picture' }),
    ),
    isLarge &&
      h(
        Dialog,
        { title: say('message.kinds.image'), onClose: () => setLarge(false), look: 'large' },
        h('img', { src: url, alt: name }),
      ),
  ]
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

import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { MediaKind, Message } from '../../../contract/resources/message.ts'
import { bytes } from '../../browser/numbers.ts'
import { urlOf } from '../core/api.ts'
import { say } from '../words/say.ts'
import { Icon } from './icon.ts'

/** The types that are shown in the page; their bytes were looked at. Everything else can only be saved. */
const shownTypes = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  audio: ['audio/ogg', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/wav', 'audio/flac', 'audio/webm'],
}

/** Age of a message, in milliseconds, up to which its picture is loaded without a click: older files may be gone. */
const keptAtLeast = 24 * 60 * 60 * 1000

interface FileProps {
  readonly message: Message
  readonly media: NonNullable<Message['media']>
}

/** The file of a message: shown if it is a picture or a sound of a known type, and else to be saved. */
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
  return [
    shownTypes.image.includes(type) && h(Picture, { url, name, at: message.created_at }),
    shownTypes.audio.includes(type) &&
      h('audio', { src: url, controls: true, preload: 'none', 'aria-label': name }),
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

function Picture({ url, name, at }: { readonly url: string; readonly name: string; readonly at: string }) {
  const [isAsked, setAsked] = useState(Date.now() - Date.parse(at) < keptAtLeast)
  const [isGone, setGone] = useState(false)
  if (isGone) return h('p', { class: 'small' }, say('message.file_gone'))
  if (!isAsked)
    return h('button', { type: 'button', onClick: () => setAsked(true) }, say('message.show_file', { name }))
  return h('img', { src: url, alt: name, loading: 'lazy', class: 'picture', onError: () => setGone(true) })
}

/** Returns the kind as which a file is best sent, by the type that the browser knows it under. */
export function mediaKindOf(type: string): MediaKind {
  if (shownTypes.image.includes(type)) return 'image'
  return type.startsWith('audio/') ? 'audio' : 'document'
}

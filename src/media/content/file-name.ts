/** The longest name that a caller may give a file, in bytes of UTF-8: an ending that fits the file may be added to it. */
export const longestFilename = 230

/** The longest name in bytes of UTF-8: file systems take 255, and clients add to names, such as "(1)". */
const longestName = 240

/**
 * The most characters of a name that are looked at, and the part of them taken from its end: cleaning takes time by the
 * square of them. A name that fits once it is clean loses nothing: composing makes at most four characters one.
 */
const [lookedAt, lookedAtLast] = [1_024, 64]

/** The longest ending, in bytes and with its dot, that survives when a name is cut. */
const longestEnding = 16

/** The endings of a type, its usual one first. */
const endings: ReadonlyMap<string, readonly string[]> = new Map([
  ['image/jpeg', ['jpg', 'jpeg', 'jpe', 'jfif']],
  ['image/png', ['png', 'apng']],
  ['image/webp', ['webp']],
  ['image/gif', ['gif']],
  ['audio/ogg; codecs=opus', ['ogg', 'opus', 'oga']],
  ['audio/ogg', ['ogg', 'oga', 'spx']],
  ['audio/mpeg', ['mp3', 'mpga', 'mp2']],
  ['audio/mp4', ['m4a', 'mp4', 'm4b']],
  ['audio/aac', ['aac']],
  ['audio/wav', ['wav']],
  ['audio/flac', ['flac']],
  ['audio/amr', ['amr']],
  ['audio/3gpp', ['3gp']],
  ['audio/webm', ['weba', 'webm']],
  ['application/pdf', ['pdf']],
  ['application/zip', ['zip']],
  ['application/json', ['json']],
  ['application/rtf', ['rtf']],
  ['application/msword', ['doc']],
  ['application/vnd.ms-excel', ['xls']],
  ['application/vnd.ms-powerpoint', ['ppt']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['docx']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['xlsx']],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', ['pptx']],
  ['application/vnd.oasis.opendocument.text', ['odt']],
  ['application/vnd.oasis.opendocument.spreadsheet', ['ods']],
  ['application/vnd.oasis.opendocument.presentation', ['odp']],
  ['text/plain', ['txt']],
  ['text/csv', ['csv']],
  ['text/calendar', ['ics']],
  ['text/vcard', ['vcf']],
  ['text/markdown', ['md']],
  ['video/mp4', ['mp4', 'm4v']],
  ['video/3gpp', ['3gp']],
  ['video/webm', ['webm']],
  ['video/quicktime', ['mov']],
])

/**
 * Characters that no name may contain: control characters and lone surrogates, line ends, private and impossible characters,
 * and those that are not seen but change the ones that are, as the direction of text does.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu

/** The unseen characters that stay: joiners and variants, with which Persian, Indic scripts and emoji are written. */
const joining = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])

/** Characters that Windows does not take in a name. */
const forbidden = /[<>:"|?*]/g

/** Names that Windows treats as a device, with any text after the first dot. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i

/**
 * The name under which a recipient sees a file: what the sender named it, made harmless on every system (no path, no control
 * or direction characters, no hidden name, no device, at most 240 bytes), or one made from its type if nothing is left of it. An
 * image, audio or video gets an ending that fits its type, since clients tell from it whether to show it. Cleaning a name twice
 * changes nothing more. `mimeType` is what the bytes were found to be.
 */
export function cleanFileName(given: string | undefined, mimeType: string): string {
  const name = harmless(given)
  return name === '' ? defaultName(mimeType) : shortenName(withFittingEnding(name, mimeType))
}

/** True for a name from a caller that would have to be shortened, for any type of file. */
export function isTooLongName(given: string): boolean {
  return Buffer.byteLength(harmless(given)) > longestFilename
}

function harmless(given: string | undefined): string {
  const base = (given ?? '').split(/[/\\]/).at(-1) ?? ''
  const visible = bounded(base)
    .replace(unseen, (found) => (joining.has(found) ? found : ''))
    .normalize('NFC')
    .replace(forbidden, '_')
    .replace(/\p{Zs}+/gu, ' ')
  const trimmed = trim(visible)
  return device.test(trimmed) ? `_${trimmed}` : trimmed
}

function bounded(name: string): string {
  if (name.length <= lookedAt) return name
  const characters = [...name]
  if (characters.length <= lookedAt) return name
  return characters
    .slice(0, lookedAt - lookedAtLast)
    .concat(characters.slice(-lookedAtLast))
    .join('')
}

/** The extensions of audio files of all formats. */
const audioEndings = new Set(
  [...endings].flatMap(([type, known]) => (type.startsWith('audio/') ? known : [])),
)

/** The name of audio that was converted: the ending of what it was gives way to one of `mimeType`. */
export function convertedFileName(given: string | undefined, mimeType: string): string {
  const name = given?.trim() ?? ''
  const ending = endingOf(name)
  const isAudio = audioEndings.has(ending.slice(1).toLowerCase())
  return cleanFileName(isAudio ? name.slice(0, -ending.length) : name, mimeType)
}

/** Leading dots hide a name, trailing ones and spaces are dropped by Windows; what joins has nothing to join there. */
function trim(name: string): string {
  return name.replace(/^(?:[.\s]|\u200c|\u200d|\ufe0e|\ufe0f)+|(?:[.\s]|\u200c|\u200d|\ufe0e|\ufe0f)+$/g, '')
}

function defaultName(mimeType: string): string {
  const [stem] = /^(image|audio|video)(?=\/)/.exec(mimeType) ?? ['document']
  const ending = endings.get(mimeType)?.[0]
  return ending === undefined ? stem : `${stem}.${ending}`
}

function withFittingEnding(name: string, mimeType: string): string {
  const [usual, ...others] = /^(image|audio|video)\//.test(mimeType) ? (endings.get(mimeType) ?? []) : []
  if (usual === undefined) return name
  const ending = endingOf(name).slice(1).toLowerCase()
  return [usual, ...others].includes(ending) ? name : `${name}.${usual}`
}

/** The last dot and what follows it, or nothing if that is not an extension. */
function endingOf(name: string): string {
  const ending = /(?<=.)\.[^.\s]+$/su.exec(name)?.[0] ?? ''
  return Buffer.byteLength(ending) <= longestEnding ? ending : ''
}

/** Cuts a name to 240 bytes before its ending, between characters. */
export function shortenName(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name
  const ending = endingOf(name)
  let room = longestName - Buffer.byteLength(ending)
  let stem = ''
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    stem += character
  }
  return `${trim(stem)}${ending}`
}

const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))))

const text = (value: string) => new TextEncoder().encode(value)

/** An entry of a zip archive that is stored as it is. */
const zipEntry = (name: string, content: string): Uint8Array => {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(20, 4)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return new Uint8Array(Buffer.concat([header, Buffer.from(name + content)]))
}

const mp4 = (brand: string) =>
  bytes([0, 0, 0, 24], 'ftyp', brand, [0, 0, 2, 0], 'mp41isom', [0, 0, 0, 8], 'mdat')

const ogg = (packet: string) => bytes('OggS', [0, 2], Array(20).fill(0), [1, packet.length], packet)

/** First bytes of files of many formats, by the usual names of such files. */
export const sampleHeads = {
  'photo.jpg': bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
  'drawing.png': bytes(
    [0x89],
    'PNG\r\n\x1a\n',
    [0, 0, 0, 13],
    'IHDR',
    Array(17).fill(1),
    [0, 0, 0, 0],
    'IDAT',
  ),
  'moving.png': bytes(
    ...[[0x89], 'PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', Array(17).fill(1), [0, 0, 0, 8], 'acTL'],
    Array(12).fill(0),
  ),
  'sticker.webp': bytes('RIFF', [0, 1, 0, 0], 'WEBPVP8 '),
  'moving.gif': bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0]),
  'scan.tiff': bytes('II*', [0, 8, 0, 0, 0], Array(32).fill(0)),
  'photo.heic': mp4('heic'),
  'drawing.svg': text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  'drawing-with-prolog.svg': text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  'page.html': text('<!doctype html><script>alert(1)</script>'),
  'note.opus': ogg('OpusHead\x01\x01'),
  'song.ogg': ogg('\x01vorbis\0\0\0\0\x02'),
  'song.mp3': bytes('ID3', [3, 0, 0, 0, 0, 0, 0], [0xff, 0xfb, 0x90, 0x64], Array(64).fill(0)),
  'song-with-cover.mp3': bytes('ID3', [3, 0, 0, 0, 0x10, 0, 0], Array(200).fill(7)),
  'song.m4a': mp4('M4A '),
  'recording.m4a': mp4('mp42'),
  'song.aac': bytes([0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc], Array(64).fill(0)),
  'sound.wav': bytes('RIFF', [0x24, 0, 0, 0], 'WAVEfmt ', [16, 0, 0, 0]),
  'song.flac': bytes('fLaC', [0, 0, 0, 34]),
  'call.amr': bytes('#!AMR\n', [0x3c]),
  'recording.webm': bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm'),
  'invoice.pdf': text('%PDF-1.7\n%'),
  'letter.docx': zipEntry(
    '[Content_Types].xml',
    '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  ),
  'archive.zip': zipEntry('readme.txt', 'hello'),
  'old.doc': bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], Array(64).fill(0)),
  'table.csv': text('name,größe\nana,1\n'),
  'program.exe': bytes('MZ', [0x90, 0], Array(60).fill(0)),
  'noise.bin': bytes([0, 1, 2, 3, 0xfe, 0xff, 0]),
  'nothing.txt': new Uint8Array(),
} as const

export type SampleName = keyof typeof sampleHeads

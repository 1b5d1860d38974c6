/** The content type of the bodies that these parts make. */
export const formType = 'multipart/form-data; boundary=b'

/** Makes a part of a multipart body with any header lines. */
export function part(headers: string, content: string | Uint8Array = ''): Buffer {
  return bytesOf(`--b\r\n${headers}\r\n\r\n`, content, '\r\n')
}

export function field(name: string, value: string | Uint8Array): Buffer {
  return part(`content-disposition: form-data; name="${name}"`, value)
}

/** A part with a file. `parameters` are those of its content disposition, as they are there. */
export function file(content: string | Uint8Array, parameters = 'name="file"; filename="a.bin"'): Buffer {
  return part(`content-disposition: form-data; ${parameters}\r\ncontent-type: image/png`, content)
}

/** The last boundary. */
export const end = '--b--\r\n'

/** A body, written part by part. */
export function bytesOf(...parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)))
}

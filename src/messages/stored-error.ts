/** An error as it is stored: the published shape, in JSON. */
export function storedError(error: {
  code: string
  detail: string
  permanent: boolean
  network_code?: string
}): string {
  const { code, detail, permanent, network_code = null } = error
  return JSON.stringify({ code, detail, permanent, network_code })
}

/** The path of the picture at an address of a person or a group. */
export function pictureUrl(instance: string, address: string): string {
  return `/v1/instances/${instance}/contacts/${encodeURIComponent(address)}/picture`
}

/** Returns true if a reader would see nothing of a text: it is white space, or characters that are never drawn. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text)
}

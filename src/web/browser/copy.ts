/** Copies a text. The clipboard of browsers is missing on plain HTTP, and may be refused: then the text is selected and copied. */
export async function copyText(text: string): Promise<void> {
  await (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(() => copySelected(text))
}

function copySelected(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  // In the open dialog, if there is one: nothing outside of it can be selected.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

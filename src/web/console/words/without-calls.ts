/** A call in brackets, which the server names to programs: people have a button or a form for it. */
const calls = / \(`(?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^`]*`\)/g

/** Returns a text of the server without the calls that it names to programs. */
export function withoutCalls(text: string): string {
  return text.replaceAll(calls, '')
}

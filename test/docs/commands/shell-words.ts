/** Commands of a block as a shell splits them, each as its words: quotes and backslashes are gone, variables stay. */
export function commandsIn(block: string): string[][] {
  const commands: string[][] = [[]]
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    commands.push([])
  }
  for (let at = 0; at < block.length; at++) {
    const sign = block[at] as string
    if (sign === '#' && word === undefined) at = endOf(block, '\n', at) - 1
    else if (sign === "'") {
      const end = endOf(block, "'", at + 1)
      word = (word ?? '') + block.slice(at + 1, end)
      at = end
    } else if (sign === '"') {
      const end = /^(?:\\[\s\S]|[^"\\])*/.exec(block.slice(at + 1))?.[0].length ?? 0
      word = (word ?? '') + block.slice(at + 1, at + 1 + end).replaceAll(/\\(["\\$`])/g, '$1')
      at += end + 1
    } else if (sign === '\\') {
      if (block[at + 1] !== '\n') word = (word ?? '') + (block[at + 1] ?? '')
      at++
    } else if (/[\n;|&<>()]/.test(sign)) endCommand()
    else if (/\s/.test(sign)) endWord()
    else word = (word ?? '') + sign
  }
  endCommand()
  return commands.filter((words) => words.length > 0)
}

function endOf(text: string, sign: string, from: number): number {
  const end = text.indexOf(sign, from)
  return end < 0 ? text.length : end
}

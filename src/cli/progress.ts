/** Shows how far something has come, on a terminal alone; the line is gone when it has ended. */
export function progressOf(): (doing: string, share: number) => void {
  if (!process.stderr.isTTY) return () => {}
  let shown = ''
  return (doing, share) => {
    const text = share >= 1 ? '' : `${doing} ${Math.floor(share * 100)} %`
    if (text !== shown) process.stderr.write(`\r\x1b[K${text}`)
    shown = text
  }
}

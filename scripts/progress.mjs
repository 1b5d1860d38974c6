// The progress of an installation, drawn while it lasts.

/** Milliseconds between two looks at the progress. */
const lookEvery = 500
/** Without a terminal, a line is added each time this much more of it is done, in percent. */
const step = 25

/**
 * Says what is being installed, and how far it is: in place on a terminal, in a few lines elsewhere. `done` returns the part
 * that is done, from 0 to 1. What is shown ends when the returned function is called.
 */
export function showProgress(what, done, out = process.stderr) {
  out.write(`Posthorn: ${what} …\n`)
  let shown = 0
  const look = setInterval(() => {
    // The end is told by npm only: the last files are there before it has finished.
    const percent = Math.min(99, Math.floor(done() * 100))
    if (out.isTTY) out.write(`\r\x1b[K  ${percent} %`)
    else if (percent >= shown + step) {
      shown = percent - (percent % step)
      out.write(`Posthorn: ${shown} % …\n`)
    }
  }, lookEvery)
  return () => {
    clearInterval(look)
    if (out.isTTY) out.write('\r\x1b[K')
  }
}
